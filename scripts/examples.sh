#!/usr/bin/env bash
# Checks the models of tlaplus/examples that tla/spec/testdata/examples.json lists
# with the embedded checker: their counts must be TLC's.
#
# Usage: examples.sh     exit 0: all agree, 77: not run, else: one differs
#
# TLAPLUS_EXAMPLES is the folder of a clone of github.com/tlaplus/examples. None of
# it is in this repository.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."
case ${1:-} in
'') ;;
-h | --help)
  sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
*)
  echo "unknown argument: $1 (scripts/examples.sh --help)" >&2
  exit 2
  ;;
esac
if [ -z "${TLAPLUS_EXAMPLES:-}" ]; then
  echo "not_run: TLAPLUS_EXAMPLES names no clone of tlaplus/examples"
  exit 77
fi
scripts/go-test.sh --must-run -v -count=1 -timeout 30m -run ModelsOfOthers ./tla/spec
