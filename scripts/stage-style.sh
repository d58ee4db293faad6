#!/usr/bin/env bash
# The stage "style" of the check: gofmt, go vet, staticcheck and shellcheck. All
# four run, whatever the first ones find. Exit 0: clean; 77: clean, but shellcheck
# is not to be had; 1: something was found.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

failed=()
"$here/ensure-tools.sh" go

# The folders with Go code, without those that only hold what others made.
mapfile -t go_files < <(git ls-files --cached --others --exclude-standard -- '*.go' | while IFS= read -r file; do
  if [ -f "$file" ]; then printf '%s\n' "$file"; fi
done)
if [ ${#go_files[@]} -eq 0 ]; then die "no Go file found" "run this in a clone of the repository"; fi
echo "gofmt: ${#go_files[@]} files"
unformatted=$(gofmt -l "${go_files[@]}") || failed+=(gofmt)
if [ -n "$unformatted" ]; then
  printf 'not formatted (gofmt -w FILE): %s\n' "$unformatted"
  failed+=(gofmt)
fi

echo "go vet ./..."
go vet ./... || failed+=("go vet")

echo "staticcheck ./..."
go tool staticcheck ./... || failed+=(staticcheck)

mapfile -t shell_files < <(git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run | while IFS= read -r file; do
  if [ -f "$file" ]; then printf '%s\n' "$file"; fi
done)
shellcheck_missing=false
if "$here/ensure-tools.sh" shellcheck; then
  echo "shellcheck: ${#shell_files[@]} files"
  shellcheck --external-sources --source-path=SCRIPTDIR "${shell_files[@]}" || failed+=(shellcheck)
else
  shellcheck_missing=true
fi

if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed:%s\n' "$(printf ' %s,' "${failed[@]}" | sed 's/,$//')"
  exit 1
fi
if $shellcheck_missing; then
  echo "shellcheck not found (sudo apt-get install shellcheck); gofmt, vet and staticcheck passed"
  exit 77
fi
