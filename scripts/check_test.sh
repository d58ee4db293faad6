#!/usr/bin/env bash
# Tests check.sh and go-test.sh with stages made for it. Prints a line per claim;
# exit 0: all hold.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/podlife-check-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0 claims=0

# run takes stages from stdin and runs check.sh on them with the given arguments;
# it leaves the exit code in $code and all output in $scratch/out.
run() {
  cat >"$scratch/stages.txt"
  code=0
  "$here/check.sh" --stages "$scratch/stages.txt" "$@" >"$scratch/out" 2>&1 </dev/null || code=$?
}

# claim checks the sentence $1: the exit code is $2, and every further argument is
# a regular expression that some whole line of the output matches.
claim() {
  local sentence=$1 want=$2 expression wrong=''
  shift 2
  claims=$((claims + 1))
  if [ "$code" -ne "$want" ]; then wrong="exit code $code, not $want"; fi
  for expression in "$@"; do
    if ! grep -qxE -- "$expression" "$scratch/out"; then wrong="$wrong; no line: $expression"; fi
  done
  if [ -z "$wrong" ]; then
    echo "ok    $sentence"
  else
    echo "WRONG $sentence: $wrong"
    sed 's/^/      | /' "$scratch/out"
    failures=$((failures + 1))
  fi
}

run <<'STAGES'
one  -  10  echo first
two  -  10  echo second; echo "note: 3 things seen"
STAGES
claim 'stages that pass give exit code 0, and their output is shown' 0 \
  'first' 'one .* ok' 'two .* ok: 3 things seen' 'checks: 2 passed, 0 failed, 0 skipped'

run <<'STAGES'
bad   -  10  echo trouble; exit 3
good  -  10  echo went on
STAGES
claim 'a stage that fails gives exit code 1, and the next ones still run' 1 \
  'trouble' 'went on' 'bad .* FAILED: exit code 3' 'good .* ok' 'checks: 1 passed, 1 failed, 0 skipped'

run <<'STAGES'
test   -  10  echo '    --- FAIL: TestOne (0.01s)'; echo '--- FAIL: TestTwo (0.01s)'; exit 1
other  -  10  echo 'failed: the thing'; exit 2
STAGES
claim 'a stage that says what failed has that as its reason' 1 \
  'test .* FAILED: exit code 1: TestOne \(0.01s\)' 'other .* FAILED: exit code 2: the thing'

run <<'STAGES'
liar  -  10  echo ok; exit 1
STAGES
claim 'a stage that prints ok and exits 1 has failed' 1 'liar .* FAILED: exit code 1' 'checks: 0 passed, 1 failed, 0 skipped'

run <<'STAGES'
tool  -  10  echo looking; echo "not_run: no tool here"; exit 77
STAGES
claim 'exit code 77 is skipped with its last line as the reason' 0 \
  'tool .* not_run: no tool here' 'checks: 0 passed, 0 failed, 1 skipped'

run <<'STAGES'
pipe  -  10  set -o pipefail; false | cat
gone  -  10  scripts/no-such-command
STAGES
claim 'a command that does not exist has failed' 1 'gone .* FAILED: exit code 127' 'checks: 0 passed, 2 failed, 0 skipped'

run <<'STAGES'
slow  -  1   echo begun; sleep 30
next  -  10  echo went on
STAGES
claim 'a stage that takes too long has failed, and the next ones still run' 1 \
  'slow .* FAILED: not done within 1 s' 'went on' 'checks: 1 passed, 1 failed, 0 skipped'

run <<'STAGES'
leak  -  20  sleep 30 & echo done
STAGES
claim 'a stage that leaves a process behind has failed' 1 'leak .* FAILED: it left processes running'

run <<'STAGES'
liar  -  10  exit 124
STAGES
claim 'exit code 124 of a stage that was in time is not called a timeout' 1 'liar .* FAILED: exit code 124'

run --only two <<'STAGES'
one  -  10  echo first; exit 1
two  -  10  echo second
STAGES
claim '--only runs that stage alone' 0 'second' 'checks: 1 passed, 0 failed, 0 skipped'

run --only three <<'STAGES'
one  -  10  echo first
STAGES
claim 'a stage that does not exist is refused' 2 'check.sh: no stage is called three; there are: one'

run </dev/null
claim 'no stages at all is not a pass' 2 'check.sh: .* has no stage'

run <<'STAGES'
one  -  soon  echo first
STAGES
claim 'a stage without a bound is refused' 2 '.*stage one is not: name, needs, seconds, command'

run <<'STAGES'
one  -  10  echo first
one  -  10  echo again
STAGES
claim 'two stages of one name are refused' 2 '.*stage one is there twice'

run --json "$scratch/result.json" <<'STAGES'
one  -  10  echo 'say "hi" \o/'; exit 4
two  -  10  echo 'a "quoted" \ reason'; exit 77
STAGES
cat "$scratch/result.json" >>"$scratch/out"
claim '--json writes the results, escaped' 1 \
  '    \{"name": "one", .*"result": "FAILED", "reason": "exit code 4", "seconds": [0-9.]+\},' \
  '    \{"name": "two", .*"result": "not_run", "reason": "a \\"quoted\\" \\\\ reason", "seconds": [0-9.]+\}' \
  '  "failed": 1,'

run --only one --json "$scratch/result.json" <<'STAGES'
#: what nobody asked for
two  docker  10  echo must not be seen
one  -       10  echo first
STAGES
cat "$scratch/result.json" >>"$scratch/out"
claim '--json names the stages that were not asked for, and counts none of them' 0 \
  '    \{"name": "two", "purpose": "what nobody asked for", "needs": "docker", .*"result": "not_asked", .*\},' '  "skipped": 0,'

run --list <<'STAGES'
#: says the first thing
one  -  10  echo first | cat
# a comment
two  -  10  echo second
STAGES
claim '--list says what each stage is for, with its command' 0 'one +says the first thing' ' +echo first \| cat' 'two +-'

run --screen --only one <<'STAGES'
one    -  20  echo '[{"module": "M", "config": "a.cfg", "expect": "holds", "verdict": "holds", "distinct": 1234}]' >$PODLIFE_RESULTS/specs.json
specs  -  20  exit 1
STAGES
claim 'the screen says how much was done, and what was not' 0 'what this check did, .*' '  specs +pass +1 of 1 configurations as expected \(1 hold\), 1,234 states' \
  '  mutants, docker +not run .*' 'did not run: specs' 'checks: 1 passed, 0 failed, 0 skipped'
if [ "$(tail -n 1 "$scratch/out")" != 'checks: 1 passed, 0 failed, 0 skipped' ] || [ "$(sed -n '/^what this check did/,$p' "$scratch/out" | wc -l)" -gt 24 ]; then
  echo 'WRONG the screen has more than 24 lines, or does not end with the counts'
  failures=$((failures + 1))
fi

run --screen <<'STAGES'
one    -  20  echo 'no JSON' >$PODLIFE_RESULTS/specs.json
STAGES
claim 'results that cannot be read change no result, and are told' 0 'no summary of what was done: .*specs.json.*' 'checks: 1 passed, 0 failed, 0 skipped'

code=0
DOCKER_HOST="unix://$scratch/no.sock" "$here/check.sh" --stages /dev/stdin >"$scratch/out" 2>&1 <<'STAGES' || code=$?
plain   -       10  echo plain ran
engine  docker  10  echo must not be seen
STAGES
claim 'without an engine a stage that needs one has failed, and the others run' 1 \
  'plain ran' 'engine .* FAILED: no Docker engine: .*' 'checks: 1 passed, 1 failed, 0 skipped'
if grep -qx 'must not be seen' "$scratch/out"; then
  echo 'WRONG a stage without what it needs was run'
  failures=$((failures + 1))
fi

# A signal to check.sh alone, as from a CI that gives up: the stage hears of it.
cat >"$scratch/stages.txt" <<STAGES
long  -  60  echo begun >$scratch/begun; exec sleep 50
next  -  60  echo must not be seen
STAGES
"$here/check.sh" --stages "$scratch/stages.txt" >"$scratch/out" 2>&1 </dev/null &
checker=$!
for _ in $(seq 100); do
  if [ -s "$scratch/begun" ]; then break; fi
  sleep 0.05
done
before=$SECONDS
kill -TERM "$checker"
code=0
wait "$checker" || code=$?
if [ $((SECONDS - before)) -gt 10 ]; then code=999; fi
claim 'an interrupted check ends at once, with its table' 130 \
  'long .* FAILED: interrupted' 'next .* FAILED: interrupted before it began' 'checks: 0 passed, 2 failed, 0 skipped'

# go-test.sh, on a module of its own.
mkdir -p "$scratch/mod/some" "$scratch/mod/none"
cat >"$scratch/mod/go.mod" <<'GO'
module example

go 1.26
GO
cat >"$scratch/mod/some/some_test.go" <<'GO'
package some

import "testing"

func TestPasses(t *testing.T)  {}
func TestSkipped(t *testing.T) { t.Skip("not today") }
GO
echo 'package none' >"$scratch/mod/none/none.go"
go_test() {
  code=0
  (cd "$scratch/mod" && "$here/go-test.sh" "$@") >"$scratch/out" 2>&1 </dev/null || code=$?
}
go_test ./...
claim 'go-test passes where a test ran' 0 'ok.*example/some.*'
go_test ./none
claim 'go-test refuses packages without tests' 1 'no test ran: .*'
go_test ./... -run Nothing
claim 'go-test refuses a -run that finds nothing' 1 'no test ran: .*'
go_test ./... -run '^$' -bench .
claim 'go-test refuses a -bench that finds nothing' 1 'no benchmark ran'
go_test --must-run -v ./... -run Skipped
claim 'go-test --must-run refuses a run in which every test was skipped' 1 'no test passed: .*'
go_test --must-run -v ./...
claim 'go-test --must-run refuses a skipped test, and names it' 1 '--- SKIP: TestSkipped.*' 'these tests were skipped, .*'

if [ "$failures" -gt 0 ]; then
  echo "$failures of $claims claims do not hold"
  exit 1
fi
echo "all $claims claims hold"
