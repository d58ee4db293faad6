# shellcheck shell=sh
# Looks into a container: is everything there that a boot is to set up, and does it work?
# Arguments: the clone's folder, the clone's origin. Answers are lines "podlife-inside:NAME=VALUE".
# It leaves nothing behind, and it reads no word that podlife itself says about the container.
# All answers come at the end: a multiplexer that takes the terminal throws away what was written before and not read yet.
dir=$1 origin=$2
answers=
say() { answers="$answers
podlife-inside:$1=$2"; }
export HOME=/root LC_ALL=C.UTF-8 TERM=xterm-256color
unset TMUX PODLIFE_TAB

say marker "$(base64 -w 0 /var/lib/podlife/marker 2>/dev/null)"
hook=$(grep -c '^# >>> podlife >>>$' "$HOME/.bashrc" 2>/dev/null)
say hook "${hook:-0}"
say head "$(git -C "$dir" rev-parse --verify -q HEAD 2>/dev/null)"
say origin "$(git --git-dir="$origin" rev-parse --verify -q HEAD 2>/dev/null)"
say missing_files "$(git -C "$dir" ls-files --deleted 2>/dev/null | wc -l)"

# An interactive login shell on a terminal, with the variable that the product sets: does it become a client of the multiplexer? Whoever is the client is asked of the
# multiplexer; the variable TMUX alone could be set by anybody. Without a hook the shell would just wait for somebody to type.
interactive=no multiplexer=no
if [ "${hook:-0}" -gt 0 ] && command -v tmux >/dev/null 2>&1; then
	tab=inside-$$
	result=$(mktemp)
	(
		n=0
		while [ "$n" -lt 100 ]; do
			if [ "$(tmux list-clients -t "=$tab" -F '#{client_session}' 2>/dev/null)" = "$tab" ]; then
				echo yes >"$result"
				tmux kill-session -t "=$tab"
				exit
			fi
			n=$((n + 1))
			sleep 0.03
		done
		# It is no client of the multiplexer: a bare shell that waits for input.
		kill -HUP "$(cat "$result.pid")"
	) </dev/null >/dev/null 2>&1 &
	PODLIFE_TAB=$tab sh -c 'echo $$ >"$1"; exec bash -l -i' shell "$result.pid"
	wait
	[ ! -s "$result" ] || interactive=yes multiplexer=yes
	rm -f "$result" "$result.pid"
fi
if [ "$multiplexer" = no ] && command -v tmux >/dev/null 2>&1; then
	if tmux -L "inside-$$" -f /dev/null new-session -d -s x 'sleep 60' 2>/dev/null; then
		multiplexer=yes
		tmux -L "inside-$$" kill-server 2>/dev/null
	fi
fi
say interactive "$interactive"
say multiplexer "$multiplexer"
say end yes
printf '%s\n' "$answers"
