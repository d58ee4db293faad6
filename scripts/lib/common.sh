# shellcheck shell=bash
# Shared by the scripts in this folder: messages, root and apt, and the question
# whether a Docker engine answers. Sourced, never run.

# say prints progress. It goes to stderr, so that stdout stays free for results.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# die prints what is wrong and, as further arguments, what to do next; then it
# ends the script with exit code 1.
die() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  shift
  local line
  for line in "$@"; do printf '  next: %s\n' "$line" >&2; done
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

is_root() { [ "$(id -u)" -eq 0 ]; }

# may_be_root says whether as_root can work. On somebody's own machine nothing is
# done with sudo unasked: that it may be used without a password is no order to do
# so. A CI runner (CI is set) is there to be changed.
may_be_root() { is_root || { [ -n "${CI:-}" ] && have sudo && sudo -n true 2>/dev/null; }; }

# as_root runs a command as root, where may_be_root says that it can.
as_root() {
  if is_root; then "$@"; else sudo -n -- "$@"; fi
}

# systemd_runs says whether systemd is the running init: its commands may be
# installed on a machine that it does not run.
systemd_runs() { [ -d /run/systemd/system ]; }

# apt_install installs packages without questions, where may_be_root. It refreshes
# the package lists only when a package is not known yet or cannot be fetched,
# because that takes seconds. Output goes to a log that is shown only on failure.
apt_install() {
  local log
  log=$(mktemp "${TMPDIR:-/tmp}/podlife-apt.XXXXXX")
  local -a cmd=(as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300
    -o Acquire::Retries=3 -y install --no-install-recommends "$@")
  if ! "${cmd[@]}" </dev/null >"$log" 2>&1; then
    if ! as_root apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update </dev/null >>"$log" 2>&1 ||
      ! "${cmd[@]}" </dev/null >>"$log" 2>&1; then
      tail -n 15 "$log" >&2
      say "apt-get could not install: $*; all of its output is in $log"
      return 1
    fi
  fi
  rm -f "$log"
}

# engine_version prints the version of the Docker engine that answers (DOCKER_HOST
# is honoured), or fails. Bounded: an engine that hangs is one that does not answer.
engine_version() {
  local version
  if have docker; then
    version=$(timeout 10 docker version --format '{{.Server.Version}}' 2>/dev/null) || return 1
    [ -n "$version" ] && printf '%s\n' "$version"
    return
  fi
  local host=${DOCKER_HOST:-unix:///var/run/docker.sock}
  case $host in
  unix://*)
    have curl || return 1
    [ "$(timeout 10 curl -s --unix-socket "${host#unix://}" http://localhost/_ping 2>/dev/null)" = OK ] || return 1
    echo "unknown version"
    ;;
  *) return 1 ;;
  esac
}
