#!/usr/bin/env bash
# Makes sure that a Docker engine answers. Exit 0: it does; 1: it does not, and
# the last lines say what to do.
#
# Where an engine answers (DOCKER_HOST is honoured) this does nothing. Otherwise,
# as root on a machine with apt, it installs docker.io and starts the daemon:
# through systemd where that is the running init, else dockerd itself, detached.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lib/common.sh
. "$here/lib/common.sh"

case ${1:-} in
'') ;;
-h | --help)
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
  ;;
*) die "unknown argument: $1" "run it without arguments" ;;
esac

log=/var/log/podlife-dockerd.log
start_seconds=60 # how long a daemon may take from its start to its first answer

if version=$(engine_version); then
  say "Docker engine $version answers"
  exit 0
fi

if [ -n "${DOCKER_HOST:-}" ]; then
  die "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST" \
    "start that engine, or unset DOCKER_HOST to use the one of this machine"
fi
# An engine that is there and only closed to this user needs a group, not an install.
if ! is_root; then
  if [ -S /var/run/docker.sock ] && [ ! -w /var/run/docker.sock ]; then
    # Membership of a group that was given just now counts from the next login on.
    die "the Docker engine's socket /var/run/docker.sock is not open to $(id -un)" \
      "sudo usermod -aG docker $(id -un), then log in again" \
      "or run this as root"
  fi
  die "no Docker engine answers, and installing or starting one needs root" \
    "sudo ${BASH_SOURCE[0]}" \
    "or start Docker yourself and run this again"
fi

if ! have dockerd; then
  have apt-get || die "no Docker engine answers, and this machine has no apt to install one" \
    "install Docker as your system does it, start it, and run this again"
  packages=(docker.io iptables ca-certificates)
  # runc needs the parser where the kernel has AppArmor switched on.
  if [ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null || true)" = Y ]; then packages+=(apparmor); fi
  # Nobody but systemd mounts the control groups by itself.
  if ! systemd_runs && ! grep -q ' /sys/fs/cgroup' /proc/mounts; then packages+=(cgroupfs-mount); fi
  say "no Docker engine here: installing with apt: ${packages[*]}"
  apt_install "${packages[@]}" || die "docker.io could not be installed" \
    "check the network and /etc/apt/sources.list*, run apt-get update, and try again"
  # Newer releases put the client in a package of its own.
  if ! have docker; then
    apt_install docker-cli || die "the docker command could not be installed" "install a docker client and try again"
  fi
fi

# dockerd_pid prints the process id of a running dockerd, or fails.
dockerd_pid() {
  local dir
  for dir in /proc/[0-9]*; do
    if [ "$(cat "$dir/comm" 2>/dev/null || true)" = dockerd ]; then
      printf '%s\n' "${dir#/proc/}"
      return 0
    fi
  done
  return 1
}

# wait_for_engine waits until the engine answers or, if a process id is given,
# until that process is gone; at most start_seconds.
wait_for_engine() {
  local pid=${1:-} deadline=$((SECONDS + start_seconds))
  while [ "$SECONDS" -lt "$deadline" ]; do
    if engine_version >/dev/null; then return 0; fi
    if [ -n "$pid" ] && [ ! -d "/proc/$pid" ]; then return 1; fi
    sleep 0.2
  done
  return 1
}

# drop_stale_pidfiles removes pid files that were left by a daemon that was
# killed: dockerd refuses to start when another process has that number by now.
drop_stale_pidfiles() {
  local file name pid
  for file in /var/run/docker.pid /var/run/docker/containerd/containerd.pid; do
    [ -f "$file" ] || continue
    name=$(basename "$file" .pid)
    [ "$name" = docker ] && name=dockerd
    pid=$(cat "$file")
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null || true)" != "$name" ]; then rm -f "$file"; fi
  done
}

# start_dockerd starts the daemon in a session of its own, so that neither the
# end of this script nor a Ctrl-C in the terminal ends it.
start_dockerd() {
  drop_stale_pidfiles
  printf '\n== %s dockerd %s\n' "$(date -u +%FT%TZ)" "$*" >>"$log"
  say "starting dockerd${*:+ $*} (its log: $log)"
  (cd / && exec setsid dockerd "$@" </dev/null >>"$log" 2>&1) &
  local pid=$!
  if wait_for_engine "$pid"; then return 0; fi
  # Ours, and of no use: a second try could not start beside it.
  kill "$pid" 2>/dev/null || true
  local deadline=$((SECONDS + 10))
  while [ -d "/proc/$pid" ] && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.2; done
  return 1
}

# since_last_start prints the part of the log that the last start wrote.
since_last_start() { tac "$log" | sed '/^== /q' | tac; }

if systemd_runs; then
  say "starting docker with systemd"
  systemctl start docker.service || die "systemd could not start docker" "journalctl -u docker.service"
  wait_for_engine || die "docker was started, but does not answer" "journalctl -u docker.service"
elif pid=$(dockerd_pid); then
  say "dockerd runs as process $pid: waiting for its answer"
  wait_for_engine "$pid" || die "dockerd runs as process $pid, but does not answer within $start_seconds s" \
    "look at its log (${log} if it was started here), or end it and run this again"
else
  touch "$log"
  if ! start_dockerd; then
    # Two things are known to stop dockerd on kernels that have only half of what
    # it expects. Each has an answer that works, and each is said out loud.
    if since_last_start | grep -qi 'iptables' && [ -x /usr/sbin/iptables-legacy ] &&
      iptables-legacy -t nat -S >/dev/null 2>&1; then
      say "dockerd could not set up iptables with nf_tables: switching this machine to iptables-legacy"
      update-alternatives --set iptables /usr/sbin/iptables-legacy >/dev/null
      update-alternatives --set ip6tables /usr/sbin/ip6tables-legacy >/dev/null
      start_dockerd || true
    fi
  fi
  if ! engine_version >/dev/null && since_last_start | grep -qi 'iptables'; then
    say "WARNING: this kernel has no usable iptables: starting dockerd with --iptables=false."
    say "WARNING: containers then have no way to the network; boots that install packages will fail."
    start_dockerd --iptables=false || true
  fi
  if ! engine_version >/dev/null; then
    since_last_start | tail -n 15 >&2
    die "dockerd was started, but no engine answers; the end of its log is above" "read $log"
  fi
fi
say "Docker engine $(engine_version) answers"
