#!/usr/bin/env bash
# Builds the page into runtime/server/web/dist, from where the server embeds it.
# Fetches what it is built from only when package-lock.json has changed.
#
# Usage: web.sh           type check, test and bundle (the stage "web" of the check);
#                         also what tests of the session host compare replays with
#        web.sh bundle    bundle only (what `make run` needs)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

bundle_only=false
case ${1:-} in
'') ;;
bundle) bundle_only=true ;;
-h | --help)
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
*) die "unknown argument: $1" "${BASH_SOURCE[0]} --help" ;;
esac

"$here/ensure-tools.sh" node
# modules fetches what the folder $1 names, for $2. The stamp says of which lock file
# the installed modules are; npm ci removes it with the folder, so a broken install
# leaves none.
modules() {
  local stamp=node_modules/.podlife-lock lock
  cd "$here/../$1"
  lock=$(sha256sum package-lock.json | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null || true)" != "$lock" ]; then
    say "npm ci: $1/package-lock.json is new here or has changed"
    npm ci --no-audit --no-fund </dev/null || die "npm could not fetch the modules of $2" "check the network (npm ping) and try again"
    printf '%s\n' "$lock" >"$stamp"
  fi
}

if ! $bundle_only; then
  modules runtime/host/modes/oracle "the terminal that replays are compared with"
fi
modules runtime/server/web "the page"

if ! $bundle_only; then
  npm run typecheck </dev/null
  npm test </dev/null
fi
npm run build </dev/null
[ -s dist/index.html ] || die "the build left no dist/index.html" "look at runtime/server/web/build.mjs"
