#!/usr/bin/env bash
# Runs TLC on the configurations of the registry, tla/configs/registry.txt, and
# compares the verdict and, where all holds, states generated, distinct states and
# depth. What the embedded checker does not look at (liveness) must hold in TLC.
#
# Usage: tlc.sh              check; exit 0: all agree, 77: no TLC, else: they differ
#        tlc.sh --nightly    the same with the larger configurations
#        tlc.sh --download   download TLC v1.7.4 into tla/tools and verify it
#
# TLC is the command in the environment variable TLC, else tla/tools/tla2tools.jar.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

version=v1.7.4 # not 1.8.0: its file changes under the same name
sha256=936a262061c914694dfd669a543be24573c45d5aa0ff20a8b96b23d01e050e88
url=https://github.com/tlaplus/tlaplus/releases/download/$version/tla2tools.jar
jar=tla/tools/tla2tools.jar

verified() { printf '%s  %s\n' "$sha256" "$1" | sha256sum --check --status; }

download() {
  if [ -f "$jar" ] && verified "$jar"; then
    say "$jar is $version already"
    return
  fi
  mkdir -p "$(dirname "$jar")"
  part=$jar.part
  trap 'rm -f "$part"' EXIT
  local -a get
  if have curl; then
    get=(curl --fail --silent --show-error --location --connect-timeout 15 --max-time 300 --output "$part" "$url")
  elif have wget; then
    get=(wget --quiet --timeout=30 --tries=2 --output-document="$part" "$url")
  else
    die "neither curl nor wget is here" "install one of them" "or put tla2tools.jar of $version at $jar"
  fi
  say "downloading $url"
  "${get[@]}" || die "TLC $version could not be downloaded" "check the network, then: make tlc" \
    "or put tla2tools.jar of $version at $jar"
  verified "$part" || die "what was downloaded is not TLC $version: its SHA-256 is $(sha256sum "$part" | cut -d' ' -f1), want $sha256" \
    "try again, on a network that does not change downloads"
  mv "$part" "$jar"
  say "$jar is TLC $version, verified"
}

# not_run ends the script with what the check shows in its summary.
not_run() {
  echo "not_run: $*"
  exit 77
}

check() {
  local command=${TLC:-}
  if [ -z "$command" ]; then
    [ -f "$jar" ] || not_run "TLC not found (make tlc downloads $version)"
    have java || not_run "TLC is in $jar, but java not found (apt-get install default-jre-headless)"
    verified "$jar" || die "$jar is not TLC $version" "remove it, then: make tlc"
    command="java -XX:+UseParallelGC -cp '$PWD/$jar' tlc2.TLC"
  fi
  echo "TLC: $command"
  go run ./conformance/specs/run --set "$1" --tlc "$command"
}

case ${1:-} in
'') check pr ;;
--nightly) check nightly ;;
--download) download ;;
-h | --help) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" ;;
*) die "unknown argument: $1" "scripts/tlc.sh --help" ;;
esac
