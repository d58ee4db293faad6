#!/usr/bin/env bash
# Runs the stages of the check, all of them, whatever the first ones find, and ends
# with a table, a screen of what was done and what was not, and a line like
# "checks: 15 passed, 0 failed, 2 skipped".
#
# Usage: check.sh [--only STAGE]... [--json FILE] [--results DIR] [--list] [--help]
#   --only STAGE   run this stage; may be given several times
#   --json FILE    write the table to FILE too
#   --results DIR  leave what the stages measured in DIR, which is empty or not there:
#                  `go run ./conformance/coverage write --results DIR` records it.
#                  Without it that is left in bin/check, in the place of the last one
#   --list         print the stages with what each is for, and run nothing
#   --stages FILE  take the stages from FILE, not from scripts/stages.txt: no screen
#                  (but with --screen), and nothing is left in bin/check
# Exit codes: 0 nothing failed, 1 a stage failed, 2 wrong usage, 130 interrupted.
#
# The stages and their commands are in scripts/stages.txt.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

usage_error() {
  say "$1"
  exit 2
}

stages_file=$here/stages.txt
json='' results_dir='' list=false ours=true screen=true
only=()
while [ $# -gt 0 ]; do
  case $1 in
  --only | --json | --results | --stages)
    [ $# -ge 2 ] || usage_error "$1 needs a value"
    case $1 in
    --only) only+=("$2") ;;
    --json) json=$2 ;;
    --results) results_dir=$(realpath -m -- "$2") ;;
    --stages) stages_file=$2 ours=false screen=false ;;
    esac
    shift
    ;;
  --list) list=true ;;
  --screen) screen=true ;;
  -h | --help)
    sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) usage_error "unknown argument: $1 (check.sh --help)" ;;
  esac
  shift
done

# The stages, as five arrays with one index.
names=() needs=() bounds=() commands=() purposes=()
purpose=''
[ -r "$stages_file" ] || usage_error "cannot read $stages_file"
while read -r name need bound command; do
  case $name in
  '#:') purpose="$need $bound $command" ;;
  esac
  case $name in '' | \#*) continue ;; esac
  if [ -z "$command" ] || ! [[ $bound =~ ^[1-9][0-9]*$ ]]; then
    usage_error "$stages_file: stage $name is not: name, needs, seconds, command"
  fi
  case " ${names[*]} " in *" $name "*) usage_error "$stages_file: stage $name is there twice" ;; esac
  names+=("$name") needs+=("$need") bounds+=("$bound") commands+=("$command") purposes+=("${purpose%"${purpose##*[![:space:]]}"}")
  purpose=''
done <"$stages_file"
[ ${#names[@]} -gt 0 ] || usage_error "$stages_file has no stage"

for name in "${only[@]}"; do
  case " ${names[*]} " in *" $name "*) ;; *) usage_error "no stage is called $name; there are: ${names[*]}" ;; esac
done

wanted() { # is stage $1 to run?
  [ ${#only[@]} -eq 0 ] && return 0
  case " ${only[*]} " in *" $1 "*) return 0 ;; esac
  return 1
}

if $list; then
  for i in "${!names[@]}"; do printf '%-12s %s\n             %s\n' "${names[i]}" "${purposes[i]:--}" "${commands[i]}"; done
  exit 0
fi

# Where a result file is asked for, that it cannot be written is found now.
if [ -n "$json" ] && ! : >"$json"; then usage_error "cannot write $json"; fi
cd "$root"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/podlife-check.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# What the stages measured, for the coverage stage to judge: of this run alone.
export PODLIFE_RESULTS=${results_dir:-$scratch/results}
mkdir -p "$PODLIFE_RESULTS"
if [ -n "$(ls -A "$PODLIFE_RESULTS")" ]; then usage_error "$PODLIFE_RESULTS is not empty: the results of two runs would mix"; fi
interrupted=false
child=''
# The stage runs in a process group of its own, which hears of a Ctrl-C only
# through this. timeout passes the signal on to the whole group.
trap 'interrupted=true; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || true' INT TERM HUP

now() { printf '%s\n' "${EPOCHREALTIME/[.,]/}"; } # in microseconds
seconds() { printf '%d.%d' $(($1 / 1000000)) $(($1 % 1000000 / 100000)); }

# run_bounded runs the command $3 for at most $2 seconds, shows what it prints and
# keeps it in the file $1. Its exit code is the command's; broken says how it ended
# where that code does not: too late, or with processes left behind that hold on to
# its output.
broken=''
run_bounded() {
  local log=$1 bound=$2 command=$3 code=0 tee deadline began=$SECONDS
  broken=''
  rm -f "$scratch/pipe"
  mkfifo "$scratch/pipe"
  # It must outlive a Ctrl-C, to show what the stage says last.
  (trap '' INT TERM HUP; exec tee "$log" <"$scratch/pipe") &
  tee=$!
  timeout --kill-after=15 "$bound" bash -c "$command" >"$scratch/pipe" 2>&1 </dev/null &
  child=$!
  # wait returns early when a signal arrives: the stage is given time to end.
  while :; do
    code=0
    wait "$child" || code=$?
    if ! kill -0 "$child" 2>/dev/null; then break; fi
  done
  deadline=$((SECONDS + 5))
  while kill -0 "$tee" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.02; done
  if kill -0 "$tee" 2>/dev/null; then
    kill -KILL -- "-$child" "$tee" 2>/dev/null || true
    wait "$tee" 2>/dev/null || true
    broken='it left processes running'
  fi
  case $code in 124 | 137) if [ $((SECONDS - began)) -ge "$bound" ]; then broken="not done within $bound s"; fi ;; esac
  child=''
  if [ -n "$broken" ] && [ "$code" -eq 0 ]; then code=1; fi
  return "$code"
}

# prepare_docker sees to the engine and the images, once. On failure docker_reason
# says in a line why the stages that need them cannot pass.
docker_asked=false docker_reason=''
prepare_docker() {
  if $docker_asked; then return 0; fi
  docker_asked=true
  if ! run_bounded "$scratch/docker.log" 900 "'$here/ensure-docker.sh'"; then
    docker_reason="no Docker engine: $(grep -v '^  next:' "$scratch/docker.log" | tail -n 1)"
  elif ! run_bounded "$scratch/docker.log" 1500 "'$here/base-image.sh'"; then
    docker_reason="no image: $(grep -v '^  next:' "$scratch/docker.log" | tail -n 1)"
  fi
}

results=() reasons=() times=()
passed=0 failed=0 skipped=0

# first_failure prints what the stage's output $1 itself calls its first failure, if it does.
first_failure() {
  grep -a -m 1 -E '^(failed: | *--- FAIL: |WRONG )' "$1" | tr -d '\000-\037' | sed -e 's/^ *--- FAIL: /: /; s/^failed: /: /; s/^WRONG /: /' | cut -c -200 || true
}

# run_stage runs stage number $1 and records its result.
run_stage() {
  local i=$1 code=0 result reason='' began last log=$scratch/stage.log
  began=$(now)
  printf '\n== %s: %s\n' "${names[i]}" "${commands[i]}"
  case ,${needs[i]}, in *,docker,*) prepare_docker ;; esac
  case ,${needs[i]}, in
  *,docker,*) if [ -n "$docker_reason" ]; then result=FAILED reason=$docker_reason; fi ;;
  esac
  case ,${needs[i]}, in
  *,chromium,*)
    if [ -z "${result:-}" ] && ! $interrupted && ! run_bounded "$scratch/tool.log" 600 "'$here/ensure-tools.sh' chromium"; then
      result=not_run reason=$(grep -v '^  next:' "$scratch/tool.log" | tail -n 1)
    fi
    ;;
  esac
  if [ -z "${result:-}" ] && ! $interrupted; then
    run_bounded "$log" "${bounds[i]}" "${commands[i]}" || code=$?
    last=$(tail -n 1 "$log")
    case $code in
    0)
      result=ok
      case $last in 'note: '*) reason=${last#note: } ;; esac
      ;;
    77) result=not_run reason=${last#not_run: } ;;
    *) result=FAILED reason="exit code $code$(first_failure "$log")" ;;
    esac
    if [ -n "$broken" ]; then result=FAILED reason=$broken; fi
  fi
  if $interrupted; then result=FAILED reason=interrupted; fi
  record "$i" "$result" "$reason" $(($(now) - began))
}

# record keeps result $2, reason $3 and time $4 of stage number $1.
record() {
  results[$1]=$2 reasons[$1]=$3 times[$1]=$4
  case $2 in
  ok) passed=$((passed + 1)) ;;
  not_run) skipped=$((skipped + 1)) ;;
  *) failed=$((failed + 1)) ;;
  esac
  printf '== %s: %s%s (%s s)\n' "${names[$1]}" "$2" "${3:+: $3}" "$(seconds "$4")"
}

json_string() { # the text $1 as a JSON string
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "$(printf '%s' "$text" | tr '\000-\037' ' ')"
}

write_json() {
  local i comma=''
  printf '{\n  "schema": 1,\n  "passed": %d,\n  "failed": %d,\n  "skipped": %d,\n  "stages": [' "$passed" "$failed" "$skipped"
  for i in "${!names[@]}"; do
    printf '%s\n    {"name": %s, "purpose": %s, "needs": %s, "command": %s, "result": %s, "reason": %s, "seconds": %s}' "$comma" \
      "$(json_string "${names[i]}")" "$(json_string "${purposes[i]}")" "$(json_string "${needs[i]}")" "$(json_string "${commands[i]}")" \
      "$(json_string "${results[i]:-not_asked}")" "$(json_string "${reasons[i]:-}")" "$(seconds "${times[i]:-0}")"
    comma=,
  done
  printf '\n  ]\n}\n'
}

# keep_results puts what this check left in the place of what the last one did, for
# podlife report. It is a convenience: where it cannot, it says so.
keep_results() {
  if ! { mkdir -p bin && rm -rf "bin/check.$$" && cp -R "$PODLIFE_RESULTS" "bin/check.$$" && rm -rf bin/check && mv "bin/check.$$" bin/check; }; then
    say "the results could not be left in bin/check: the last ones there are not of this check"
    rm -rf "bin/check.$$"
  fi
}

# show_screen says what was done and what was not. Where it cannot, that changes no result.
show_screen() {
  if ! timeout 180 go run ./conformance/report/screen --results "$PODLIFE_RESULTS" >"$scratch/screen" 2>"$scratch/screen.err"; then
    printf 'no summary of what was done: %s\n\n' "$(grep -v '^exit status' "$scratch/screen.err" | tail -n 1)"
    return 0
  fi
  cat "$scratch/screen"
}

began_all=$(now)
for i in "${!names[@]}"; do
  wanted "${names[i]}" || continue
  if $interrupted; then
    record "$i" FAILED 'interrupted before it began' 0
  else
    run_stage "$i"
  fi
done

printf '\n%-12s %8s  %s\n' stage time result
for i in "${!names[@]}"; do
  [ -n "${results[i]:-}" ] || continue
  printf '%-12s %6s s  %s%s\n' "${names[i]}" "$(seconds "${times[i]}")" "${results[i]}" "${reasons[i]:+: ${reasons[i]}}"
done
printf '%-12s %6s s\n\n' all "$(seconds $(($(now) - began_all)))"
if [ -n "$json" ]; then write_json >"$json"; fi
write_json >"$PODLIFE_RESULTS/check.json"
if $ours && [ -z "$results_dir" ]; then keep_results; fi
if $screen && ! $interrupted; then show_screen; fi
printf 'checks: %d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
if $interrupted; then exit 130; fi
if [ "$failed" -gt 0 ]; then exit 1; fi
