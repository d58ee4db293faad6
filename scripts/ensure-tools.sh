#!/usr/bin/env bash
# Makes sure that the named tools are there. Go and Node are only checked for
# their version; gcc, shellcheck and chromium are installed with apt, as root (in
# CI with sudo), when missing. Chrome does where there is no chromium. Exit 0: all are there; 1: the last lines say what to do.
#
# Usage: ensure-tools.sh [go|node|gcc|shellcheck|chromium]...   (none: all of them)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

node_major=20

# The go command itself compares with go.mod, and may fetch a newer toolchain.
need_go() {
  local want version
  want=$(sed -n 's/^go //p' "$here/../go.mod")
  have go || die "there is no go command: podlife needs Go $want or newer" "install Go and put it into PATH"
  version=$(cd "$here/.." && go env GOVERSION 2>/dev/null) || version=
  # GOVERSION may carry a suffix after a space or a dash.
  version=${version#go}
  version=${version%%[ -]*}
  if [ -z "$version" ] || [ "$(printf '%s\n%s\n' "$want" "$version" | sort -V | head -n 1)" != "$want" ]; then
    die "this Go is too old: podlife needs Go $want or newer, and here is $( (cd / && go version) 2>&1 | head -n 1)" \
      "install a newer Go and put it first into PATH"
  fi
}

need_node() {
  have node || die "there is no node command: the page needs Node $node_major or newer" "install Node $node_major and npm"
  local version
  version=$(node --version)
  version=${version#v}
  if [ "${version%%.*}" -lt "$node_major" ]; then
    die "this Node is too old: the page needs Node $node_major or newer, and here is $version" "install Node $node_major"
  fi
  have npm || die "there is no npm command: the page needs it to fetch what it is built from" "install npm"
}

# need_package makes sure that command $1 is there, from the Debian package $1.
need_package() {
  if have "$1"; then return 0; fi
  if ! may_be_root || ! have apt-get; then
    die "$1 not found" "sudo apt-get install $1"
  fi
  say "installing with apt: $1"
  apt_install "$1" || die "$1 could not be installed" "check the network and /etc/apt/sources.list*, and try again"
  # On Ubuntu the package chromium may bring a command that only points elsewhere.
  have "$1" || die "the package $1 brought no command $1" "install $1 by hand"
}

# have_browser looks for what the browser tests look for, under each of its names.
have_browser() { have chromium || have chromium-browser || have google-chrome || have google-chrome-stable; }

tools=("$@")
if [ ${#tools[@]} -eq 0 ]; then tools=(go node gcc shellcheck chromium); fi
for tool in "${tools[@]}"; do
  case $tool in
  go) need_go ;;
  node) need_node ;;
  gcc | shellcheck) need_package "$tool" ;;
  chromium) have_browser || need_package chromium ;;
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" ;;
  *) die "unknown tool: $tool" "${BASH_SOURCE[0]} --help" ;;
  esac
done
