#!/usr/bin/env bash
# Makes the two container images that podlife works with:
#   podlife/base:bookworm  the stock image: a minimal Debian
#   podlife/test:bookworm  the same with git, tmux and procps in it, and a git
#                          repository at /srv/example.git: a boot on it needs no network
# Both are kept: a second call returns at once. Both are reproducible: the same
# packages give the same image id. The stock image is pulled by digest where a
# registry answers, else it is made from Debian's packages with mmdebstrap.
#
# Usage: base-image.sh [--rebuild|--remove]
#   --rebuild   make them again, for newer packages
#   --remove    remove both (an image that a container still uses is refused)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

base=podlife/base:bookworm
test=podlife/test:bookworm
# Debian's own slim image of 2025-05-20 (the index of all architectures).
pin=debian@sha256:90522eeb7e5923ee2b871c639059537b30521272f10ca86fdbbbb2b75a8c40cd
pull_seconds=45
# No file in an image is younger than this: 2025-06-01T00:00:00Z.
export SOURCE_DATE_EPOCH=1748736000

rebuild=false remove=false
case ${1:-} in
'') ;;
--rebuild) rebuild=true ;;
--remove) remove=true ;;
-h | --help)
  sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
*) die "unknown argument: $1" "${BASH_SOURCE[0]} --help" ;;
esac

# host_sources prints apt source lines for bookworm from the Debian mirrors that
# this machine is set up with; nothing where it has none (an Ubuntu, say).
host_sources() {
  have apt-get || return 0
  # shellcheck disable=SC2016 # the dollar signs are apt-get's
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sort -u | while IFS='|' read -r origin label uri; do
    case $origin/$label in
    Debian/Debian)
      echo "deb $uri bookworm main"
      echo "deb $uri bookworm-updates main"
      ;;
    Debian/Debian-Security) echo "deb $uri bookworm-security main" ;;
    esac
  done
}

# host_apt_options prints those apt settings of this machine without which apt in
# a container would not reach the same mirrors: proxies, and what it says of dates.
host_apt_options() {
  have apt-config || return 0
  apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date) ' || true
}

# in_base_make_test runs inside a container of the stock image, as text: it
# installs the tools, makes the repository, drops what differs from run to run,
# and writes the whole file system to stdout as a tar.
# shellcheck disable=SC2016 # backquotes and $(hostname) are text for files
in_base_make_test() {
  set -eu
  exec 3>&1 1>&2
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  apt-get -o Acquire::Retries=3 update
  apt-get -o Acquire::Retries=3 -y install --no-install-recommends bash ca-certificates git procps tmux

  export GIT_AUTHOR_NAME=podlife GIT_AUTHOR_EMAIL=podlife@localhost
  export GIT_COMMITTER_NAME=podlife GIT_COMMITTER_EMAIL=podlife@localhost
  work=/tmp/example
  mkdir "$work"
  cd "$work"
  git init --quiet --template= --initial-branch=main
  printf '# Example\n\nA repository to clone in tests. Run `sh hello.sh`.\n' >README.md
  git add README.md
  GIT_AUTHOR_DATE='2025-01-01T00:00:00Z' GIT_COMMITTER_DATE='2025-01-01T00:00:00Z' \
    git commit --quiet --message 'Say what this is'
  printf '#!/bin/sh\necho "hello from $(hostname)"\n' >hello.sh
  chmod +x hello.sh
  git add hello.sh
  GIT_AUTHOR_DATE='2025-01-02T00:00:00Z' GIT_COMMITTER_DATE='2025-01-02T00:00:00Z' \
    git commit --quiet --message 'Add a script that greets'
  rm -rf .git/logs .git/index .git/COMMIT_EDITMSG
  git config core.bare true
  mv .git /srv/example.git
  cd /
  rm -rf "$work"
  # Cloning it works for whoever runs in the container, not for its owner alone.
  git config --system --add safe.directory /srv/example.git

  rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/aux-cache
  rm -f /var/cache/debconf/*-old /var/lib/dpkg/*-old
  find /var/log -type f -delete
  # Paths are the engine's where it puts its own files over them at each start.
  tar --create --file=- --directory=/ --numeric-owner --sort=name \
    --clamp-mtime --mtime="@$SOURCE_DATE_EPOCH" \
    --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' --exclude='./run/*' --exclude='./tmp/*' \
    --exclude=./etc/hosts --exclude=./etc/hostname --exclude=./etc/resolv.conf --exclude=./.dockerenv \
    . >&3
}

# make_base_layer writes the file system of the stock image to the file $1.
# shellcheck disable=SC2016 # the hooks' $1 is mmdebstrap's
make_base_layer() {
  local -a options=() sources=()
  local line merged=/usr/share/mmdebstrap/hooks/maybe-merged-usr
  # Without this, a package that moves old directories comes in, and 50 MB of perl with it.
  if [ -d "$merged" ]; then options+=("--include=usr-is-merged" "--hook-dir=$merged"); fi
  while IFS= read -r line; do options+=("--aptopt=$line"); done < <(host_apt_options)
  while IFS= read -r line; do sources+=("$line"); done < <(host_sources)
  # No sources given: mmdebstrap takes Debian's default ones for the suite.
  mmdebstrap --variant=minbase --include=ca-certificates --format=tar --skip=output/dev \
    --aptopt='Acquire::Languages "none"' \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='force-unsafe-io' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
    --customize-hook='rm -f "$1/etc/hostname" "$1/etc/resolv.conf" "$1/var/cache/ldconfig/aux-cache"' \
    "${options[@]}" bookworm "$1" "${sources[@]}"
}

# A change of how the images are made makes them again: the recipe is in their label.
recipe=$( (declare -f in_base_make_test make_base_layer host_sources host_apt_options; echo "$pin") | sha256sum | cut -c1-16)

# current says whether image $1 is there and made by this recipe, or is the pinned one.
current() {
  local found
  found=$(timeout 20 docker image inspect --format \
    '{{index .Config.Labels "podlife.recipe"}} {{join .RepoDigests " "}}' "$1" 2>/dev/null) || return 1
  case " $found " in
  *" $recipe "* | *"@${pin#*@} "*) return 0 ;;
  esac
  return 1
}

have docker || die "there is no docker command" "$here/ensure-docker.sh"
# The images are looked for first: where they are, this is one short question.
if ! $rebuild && ! $remove && current "$base" && current "$test"; then
  say "$base and $test are there"
  exit 0
fi
engine_version >/dev/null || die "no Docker engine answers" "$here/ensure-docker.sh"

if $remove; then
  for name in "$base" "$test"; do
    if ! docker image inspect "$name" >/dev/null 2>&1; then
      say "$name is not there"
    elif docker image rm "$name" >/dev/null; then
      say "removed $name"
    else
      die "$name could not be removed" "remove the containers that use it (podlife destroy), and run this again"
    fi
  done
  exit 0
fi

exec 9>"${TMPDIR:-/tmp}/podlife-base-image.lock"
flock -w 900 9 || die "another base-image.sh has been at work for 15 minutes" "look what it does, end it, and run this again"

work=$(mktemp -d "${TMPDIR:-/tmp}/podlife-image.XXXXXX")
maker=podlife-image-maker-$$
trap 'docker rm -f "$maker" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# load_image makes an image named $1 of the tar $2. The engine would stamp an
# import with the time of day; an archive with its own configuration has a fixed id.
load_image() {
  local name=$1 layer=$2 sum created dir
  dir=$(dirname "$layer")
  sum=$(sha256sum "$layer" | cut -d' ' -f1)
  created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
  cat >"$dir/config.json" <<JSON
{"architecture":"$(docker version --format '{{.Server.Arch}}')","os":"linux","created":"$created",
"config":{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin","LANG=C.UTF-8"],
"Cmd":["bash"],"Labels":{"podlife.recipe":"$recipe"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$sum"]},
"history":[{"created":"$created","created_by":"scripts/base-image.sh"}]}
JSON
  printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["%s"]}]\n' "$name" "$(basename "$layer")" >"$dir/manifest.json"
  tar -C "$dir" -cf - manifest.json config.json "$(basename "$layer")" | docker load --quiet >/dev/null
  say "made $name: layer sha256:${sum:0:12}, $(($(stat -c %s "$layer") / 1048576)) MiB"
}

# failed shows the end of the log $1 of a step, then ends the script with the
# message and the next steps.
failed() {
  local log=$1
  shift
  tail -n 15 "$log" >&2
  die "$@"
}

make_base() {
  say "asking the registry for $pin (at most $pull_seconds s)"
  if timeout "$pull_seconds" docker pull --quiet "$pin" >"$work/pull.log" 2>&1 </dev/null; then
    docker tag "$pin" "$base"
    say "made $base: pulled $pin"
    return
  fi
  say "not pulled: $(tail -n 1 "$work/pull.log")"
  if ! have mmdebstrap; then
    if ! may_be_root || ! have apt-get; then
      die "no registry answers, and making the image from packages needs mmdebstrap" \
        "sudo apt-get install mmdebstrap debian-archive-keyring, and run this again"
    fi
    say "installing with apt: mmdebstrap, debian-archive-keyring"
    apt_install mmdebstrap debian-archive-keyring ||
      die "mmdebstrap could not be installed" "check the network and /etc/apt/sources.list*, and try again"
  fi
  # What mirrors there are is known only after a first update.
  if is_root && [ -z "$(host_sources)" ]; then apt-get update >/dev/null 2>&1 || true; fi
  say "making $base from Debian's packages with mmdebstrap"
  # As root in CI: what it does for others (a user namespace) is forbidden by default
  # on newer Ubuntu. Beside the recipe, because the image is the same.
  if ! is_root && may_be_root; then
    mmdebstrap() { as_root env SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" mmdebstrap "$@"; }
  fi
  mkdir -p "$work/base"
  make_base_layer "$work/base/layer.tar" >"$work/base.log" 2>&1 </dev/null ||
    failed "$work/base.log" "mmdebstrap could not make a Debian file system; the end of its output is above" \
      "check the network and the disk (df -h ${TMPDIR:-/tmp}), and run this again"
  load_image "$base" "$work/base/layer.tar" || die "the engine did not take the image" "look at the engine's log and disk (df -h)"
}

make_test() {
  say "making $test: installing git, tmux and procps in a container of $base"
  mkdir -p "$work/test"
  # The host's network: the way of a bridge to the outside is not what is built here.
  docker run --rm --name "$maker" --network host --env SOURCE_DATE_EPOCH "$base" \
    bash -c "$(declare -f in_base_make_test); in_base_make_test" \
    >"$work/test/layer.tar" 2>"$work/test.log" </dev/null ||
    failed "$work/test.log" "the test image could not be made; the end of the output is above" \
      "check the network (docker run --rm --network host $base apt-get update) and run this again"
  load_image "$test" "$work/test/layer.tar" || die "the engine did not take the image" "look at the engine's log and disk (df -h)"
}

# replace calls $2, which makes image $1, and removes the image that had the name
# before: without a name it would only fill the disk. One in use stays.
replace() {
  local before after
  before=$(docker image inspect --format '{{.Id}}' "$1" 2>/dev/null) || before=''
  "$2"
  after=$(docker image inspect --format '{{.Id}}' "$1")
  if [ -n "$before" ] && [ "$before" != "$after" ]; then docker image rm "$before" >/dev/null 2>&1 || true; fi
}

# Looked at again: another run may have made them while this one waited.
if $rebuild || ! current "$base"; then replace "$base" make_base; fi
if $rebuild || ! current "$test"; then replace "$test" make_test; fi
