#!/usr/bin/env bash
# Runs `go test` for a stage of the check, shows all that it prints, and refuses
# what only looks like a pass: packages without a single test that ran.
#
# Usage: go-test.sh [--race] [--must-run] ARGUMENTS OF GO TEST
#   --race      with the race detector; it needs a C compiler. Where there is none
#               and none can be installed, the tests run without it, and a pass is
#               reported as not run (exit 77): less was checked than asked for.
#   --must-run  (with -v) a skipped test fails the stage: whatever its tests need is
#               there, so a skip is a test that did not run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

race=false must_run=false
while [ $# -gt 0 ]; do
  case $1 in
  --race) race=true ;;
  --must-run) must_run=true ;;
  -h | --help)
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) break ;;
  esac
  shift
done

"$here/ensure-tools.sh" go
args=("$@")
with_race=false
if $race && "$here/ensure-tools.sh" gcc; then
  with_race=true
  args=(-race "${args[@]}")
fi

log=$(mktemp "${TMPDIR:-/tmp}/podlife-go-test.XXXXXX")
trap 'rm -f "$log"' EXIT
echo "go test ${args[*]}"
go test "${args[@]}" 2>&1 | tee "$log"

# go test says "ok" of a package without tests and of one in which -run found none.
ran=$(grep -E '^ok[[:space:]]' "$log" | grep -c -v -F '[no tests to run]' || true)
if [ "$ran" -eq 0 ]; then
  echo "no test ran: go test passed, and checked nothing"
  exit 1
fi
# With -bench it says so even where no benchmark was found.
case " ${args[*]} " in
*" -bench "*)
  if ! grep -q '^Benchmark' "$log"; then
    echo "no benchmark ran"
    exit 1
  fi
  ;;
esac
if $must_run; then
  passed=$(grep -c '^--- PASS' "$log" || true)
  skipped=$(grep -E '^[[:space:]]*--- SKIP' "$log" || true)
  if [ "$passed" -eq 0 ]; then
    echo "no test passed: go test ran none of its tests to the end"
    exit 1
  fi
  if [ -n "$skipped" ]; then
    echo "$skipped"
    echo "these tests were skipped, in a stage that has all they need"
    exit 1
  fi
fi
if $race && ! $with_race; then
  echo "passed, but without the race detector: no C compiler (sudo apt-get install gcc)"
  exit 77
fi
