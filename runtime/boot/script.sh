#!/bin/sh
# Makes a stock container usable, then writes the marker that the guard of every terminal asks for.
#
# Run by the agent inside the container, as `sh script.sh`, with these in its environment and nothing of it secret:
#   PODLIFE_POD, PODLIFE_INCARNATION, PODLIFE_RECIPE    what the marker names
#   PODLIFE_MARKER, PODLIFE_HOME                        where the marker and the shell's start files are
#   PODLIFE_PACKAGES                                    command=package pairs, separated by spaces
#   PODLIFE_REPO_URL, _BRANCH, _DIR                     the clone; no URL, no clone
#   PODLIFE_USER_SCRIPT                                 a file to run; empty for none
#   PODLIFE_ASKPASS, PODLIFE_SECRET                     a program that answers git, and the folder it answers from; empty for none
#
# File descriptor 3 carries one line for each thing that happens to a step:
#   step NAME started | done | skipped [WHY] | failed CODE
#   already                                             the marker vouches: nothing was run
# Steps run without it, so that no program's output can pass for one. Each may run any number of times: a boot that was killed is simply run again.
set -eu
umask 022

marker_text() {
	printf 'podlife-marker 1\npod %s\nincarnation %s\nrecipe %s\nend\n' "$PODLIFE_POD" "$PODLIFE_INCARNATION" "$PODLIFE_RECIPE"
}

# The dot keeps $( ) from dropping newlines at the end, so that exactly the text above vouches.
vouches() {
	[ -f "$PODLIFE_MARKER" ] && [ "$(head -c 2048 "$PODLIFE_MARKER" && echo .)" = "$(marker_text && echo .)" ]
}

has() {
	command -v "$1" >/dev/null 2>&1
}

forget_secret() {
	[ -z "$PODLIFE_SECRET" ] || rm -rf "$PODLIFE_SECRET"
}

# run NAME: skip_NAME may say why there is nothing to do; step_NAME does it. The subshell stands alone in its line because `set -e` is dead in any function that is
# called from a condition, and then a failing command in the middle of a step would go unnoticed.
run() {
	echo "step $1 started" >&3
	if why=$("skip_$1" 3>&-); then
		echo "step $1 skipped $why" >&3
		return 0
	fi
	set +e
	(
		set -e
		"step_$1"
	) 3>&-
	code=$?
	set -e
	if [ "$code" -ne 0 ]; then
		echo "step $1 failed $code" >&3
		exit "$code"
	fi
	echo "step $1 done" >&3
}

# leave_home: programs that are run with what only the operator knows, or before the marker vouches, take no settings from the home, which outlives its containers and is its user's: git would run the hooks of a template that is named there.
leave_home() {
	HOME=${PODLIFE_MARKER%/*}/boot
	rm -rf "$HOME"
	mkdir -p "$HOME"
	export HOME
	unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL GIT_TEMPLATE_DIR
}

# --- packages: what is missing, from whichever package manager the image has -------------------------------------------------------------------------------------

missing_packages() {
	for pair in $PODLIFE_PACKAGES; do
		has "${pair%%=*}" || printf '%s ' "${pair#*=}"
	done
	case $PODLIFE_REPO_URL in
	https://*)
		[ -s /etc/ssl/certs/ca-certificates.crt ] || [ -s /etc/ssl/cert.pem ] || [ -s /etc/pki/tls/certs/ca-bundle.crt ] || printf 'ca-certificates '
		;;
	ssh://*)
		if has ssh; then
			:
		elif has dnf; then
			printf 'openssh-clients '
		else
			printf 'openssh-client '
		fi
		;;
	esac
}

skip_packages() {
	[ -z "$(missing_packages)" ] && echo 'all there'
}

step_packages() {
	leave_home
	missing=$(missing_packages)
	echo "installing: $missing"
	# The names were checked against a pattern without spaces and wildcards.
	# shellcheck disable=SC2086
	set -- $missing
	if has apt-get; then
		export DEBIAN_FRONTEND=noninteractive
		# A boot that was killed may have left packages unpacked but not configured.
		dpkg --configure -a
		apt-get -q -o Acquire::Retries=3 update
		# Without a terminal of its own dpkg stays in this process group, and ends with it.
		apt-get -q -y -o Acquire::Retries=3 -o DPkg::Use-Pty=0 -o DPkg::Lock::Timeout=60 install --no-install-recommends -- "$@"
	elif has apk; then
		apk add --no-cache -- "$@"
	elif has dnf; then
		dnf -y install -- "$@"
	else
		echo "this image has none of apt-get, apk and dnf: put these into the image: $missing"
		exit 69
	fi
	missing=$(missing_packages)
	if [ -n "$missing" ]; then
		echo "installed, but still without the commands of: $missing(a package whose command has another name is written command=package)"
		exit 69
	fi
}

# --- repository --------------------------------------------------------------------------------------------------------------------------------------------------

# A clone is right when it comes from the URL and was finished. We stamp ours with the URL, and then the stamp decides: whoever works in a home that outlives the container may give a clone another remote,
# and finds it where it was. One that was in the image must have the remote, its commit and its checkout; so must one with an older stamp, an empty one, but for the last two.
clone_is_right() {
	dir=$PODLIFE_REPO_DIR
	[ -d "$dir/.git" ] || return 1
	if [ -s "$dir/.git/podlife-complete" ]; then
		[ "$(cat "$dir/.git/podlife-complete")" = "$PODLIFE_REPO_URL" ]
		return
	fi
	[ "$(git -C "$dir" config --get remote.origin.url 2>/dev/null)" = "$PODLIFE_REPO_URL" ] || return 1
	[ -f "$dir/.git/podlife-complete" ] && return 0
	[ -f "$dir/.git/index" ] && [ ! -e "$dir/.git/index.lock" ] && git -C "$dir" rev-parse --quiet --verify 'HEAD^{tree}' >/dev/null 2>&1
}

# A clone that an earlier boot was killed in, perhaps in another container of this home.
half_clone() {
	[ -n "$PODLIFE_REPO_DIR" ] && [ -d "$PODLIFE_REPO_DIR.podlife-clone/.git" ]
}

skip_repository() {
	if half_clone; then
		return 1
	fi
	if [ -z "$PODLIFE_REPO_URL" ]; then
		echo 'not configured'
	else
		clone_is_right && echo 'already cloned'
	fi
}

step_repository() {
	leave_home
	temp=$PODLIFE_REPO_DIR.podlife-clone
	if half_clone; then
		rm -rf "$temp"
	fi
	if [ -z "$PODLIFE_REPO_URL" ] || clone_is_right; then
		return 0
	fi
	put_aside "$temp" "in the way of a clone"
	mkdir -p "${PODLIFE_REPO_DIR%/*}/"
	export GIT_TERMINAL_PROMPT=0
	export GIT_ALLOW_PROTOCOL=https:http:ssh:git:file
	ssh_config=/etc/ssh/ssh_config
	[ -f "$ssh_config" ] || ssh_config=none
	export GIT_SSH_COMMAND="ssh -F $ssh_config -oBatchMode=yes -oStrictHostKeyChecking=accept-new"
	if [ -n "$PODLIFE_ASKPASS" ]; then
		export GIT_ASKPASS="$PODLIFE_ASKPASS"
	fi
	set -- clone
	[ -z "$PODLIFE_REPO_BRANCH" ] || set -- "$@" --branch "$PODLIFE_REPO_BRANCH"
	# No credential helper: nothing may store what askpass answers.
	git -c credential.helper= -c core.hooksPath=/dev/null "$@" -- "$PODLIFE_REPO_URL" "$temp"
	printf '%s\n' "$PODLIFE_REPO_URL" >"$temp/.git/podlife-complete"
	put_aside "$PODLIFE_REPO_DIR" "not a finished clone of $PODLIFE_REPO_URL"
	mv "$temp" "$PODLIFE_REPO_DIR"
}

# put_aside PATH WHY: what is in the way and is not empty may be somebody's work: it keeps existing under another name.
put_aside() {
	[ -e "$1" ] || [ -L "$1" ] || return 0
	rmdir "$1" 2>/dev/null && return 0
	n=1
	while [ -e "$1.before-podlife-$n" ] || [ -L "$1.before-podlife-$n" ]; do
		n=$((n + 1))
	done
	echo "$1 is $2: moved to $1.before-podlife-$n"
	mv "$1" "$1.before-podlife-$n"
}

# --- hook --------------------------------------------------------------------------------------------------------------------------------------------------------

# POSIX sh, because a container without bash reads it too.
hook_text() {
	cat <<'EOF'
# >>> podlife >>>
# Every shell of this container was set up by podlife's boot script, and says so. Written by that script, which replaces what is between these lines.
export PODLIFE_HOOK=1
# <<< podlife <<<
EOF
}

login_text() {
	cat <<'EOF'
# >>> podlife >>>
# A login bash reads this file and not .bashrc, where podlife's hook is. Written by podlife's boot script, which replaces what is between these lines.
if [ -n "${BASH_VERSION:-}" ] && [ -r ~/.bashrc ]; then
  . ~/.bashrc
fi
# <<< podlife <<<
EOF
}

# A block ends with its last line. What somebody took that line from is no block any more, but text of theirs, as is all that follows.
block_of() {
	[ -f "$1" ] && sed -n '/^# >>> podlife >>>$/{
		:more
		$d
		N
		/\n# <<< podlife <<<$/{
			p
			d
		}
		s/^.*\n\(# >>> podlife >>>\)$/\1/
		b more
	}' "$1"
}

without_block() {
	# shellcheck disable=SC2016 # $b is the last line, to sed
	sed '/^# >>> podlife >>>$/{
		:more
		$b
		N
		/\n# <<< podlife <<<$/d
		/\n# >>> podlife >>>$/{
			h
			s/\n# >>> podlife >>>$//p
			g
			s/^.*\n//
		}
		b more
	}' "$1"
}

# The one file that a login bash reads.
login_file() {
	for name in .bash_profile .bash_login .profile; do
		[ -f "$PODLIFE_HOME/$name" ] || continue
		echo "$PODLIFE_HOME/$name"
		return 0
	done
	echo "$PODLIFE_HOME/.profile"
}

# Somebody's own line that reads .bashrc is enough.
login_is_right() {
	file=$(login_file)
	[ "$(block_of "$file")" = "$(login_text)" ] && return 0
	[ -f "$file" ] && without_block "$file" | grep -q '^[^#]*\.bashrc'
}

hook_is_right() {
	[ "$(block_of "$PODLIFE_HOME/.bashrc")" = "$(hook_text)" ]
}

skip_hook() {
	hook_is_right && login_is_right && echo 'already there'
}

# behind FILE: what the file is behind its links. A link may lead to the disk of an earlier container, where there was a folder that is not there now: it is kept, and the folder made.
behind() {
	if [ -L "$1" ] && ! readlink -f "$1" >/dev/null; then
		to=$(readlink "$1")
		case $to in
		/*) ;;
		*) to=${1%/*}/$to ;;
		esac
		mkdir -p "${to%/*}"
		readlink -f "$1" || echo "$to"
		return
	fi
	readlink -f "$1" || echo "$1"
}

# new_beside FILE: an empty file in the folder of another, by a name that nothing has; fails where none can be made.
new_beside() {
	n=1
	while [ -e "$1.podlife-new-$n" ] || [ -L "$1.podlife-new-$n" ]; do
		n=$((n + 1))
	done
	echo "$1.podlife-new-$n"
	: 2>/dev/null >"$1.podlife-new-$n"
}

# put_block FILE TEXT: the file with its old block, if any, replaced by the text at the end; its mode and everything else of it kept; never half written. What is no file, as a folder or a device that a link leads to, or lies where
# nothing can be written, is no start file of anybody's: it is put aside.
put_block() {
	file=$(behind "$1" 2>/dev/null) || file=
	if [ -z "$file" ] || { [ -e "$file" ] && [ ! -f "$file" ]; } || ! temp=$(new_beside "$file" 2>/dev/null); then
		put_aside "$1" "no file that can be written"
		file=$1
		temp=$(new_beside "$file")
	fi
	if [ -f "$file" ]; then
		cp -p "$file" "$temp"
		without_block "$file" >"$temp"
		[ -z "$(tail -c 1 "$temp")" ] || echo >>"$temp"
	fi
	printf '%s\n' "$2" >>"$temp"
	mv -f "$temp" "$file"
}

step_hook() {
	mkdir -p "$PODLIFE_HOME"
	hook_is_right || put_block "$PODLIFE_HOME/.bashrc" "$(hook_text)"
	login_is_right || put_block "$(login_file)" "$(login_text)"
}

# --- user_script -------------------------------------------------------------------------------------------------------------------------------------------------

skip_user_script() {
	[ -z "$PODLIFE_USER_SCRIPT" ] && echo 'not configured'
}

step_user_script() {
	if [ -n "$PODLIFE_REPO_URL" ]; then
		cd "$PODLIFE_REPO_DIR"
	else
		cd "$PODLIFE_HOME"
	fi
	sh "$PODLIFE_USER_SCRIPT"
}

# --- marker: last, and whole or not at all -----------------------------------------------------------------------------------------------------------------------

skip_marker() {
	return 1
}

step_marker() {
	folder=${PODLIFE_MARKER%/*}
	mkdir -p "$folder"
	temp=$folder/.marker.new
	marker_text >"$temp"
	# Where sync takes no file, all of the machine is synced: slower, and as good.
	sync "$temp" 2>/dev/null || sync
	mv -f "$temp" "$PODLIFE_MARKER"
}

if vouches; then
	forget_secret
	echo already >&3
	exit 0
fi
trap forget_secret EXIT
run packages
run repository
forget_secret
run hook
run user_script
run marker
