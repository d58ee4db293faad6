# shellcheck shell=sh
# Looks into a container: is everything there that a boot is to set up, and does it work?
# Arguments: the clone's folder, the clone's origin. Answers are lines "podlife-inside:NAME=VALUE".
# It leaves nothing behind, and it reads no word that podlife itself says about the container.
# All answers come at the end, behind what the shells and the multiplexer write.
dir=$1 origin=$2
answers=
say() { answers="$answers
podlife-inside:$1=$2"; }
export HOME=/root LC_ALL=C.UTF-8 TERM=xterm-256color
unset TMUX PODLIFE_TAB PODLIFE_HOOK

say marker "$(base64 -w 0 /var/lib/podlife/marker 2>/dev/null)"
hook=$(grep -c '^# >>> podlife >>>$' "$HOME/.bashrc" 2>/dev/null)
say hook "${hook:-0}"
say head "$(git -C "$dir" rev-parse --verify -q HEAD 2>/dev/null)"
say origin "$(git --git-dir="$origin" rev-parse --verify -q HEAD 2>/dev/null)"
say missing_files "$(git -C "$dir" ls-files --deleted 2>/dev/null | wc -l)"

# An interactive login shell on a terminal: did it read the hook? What it says is asked of its own variable, which is not set here.
interactive=no multiplexer=no
[ "$(bash -l -i -c 'printf "hook:%s" "${PODLIFE_HOOK:-}"' </dev/null 2>/dev/null)" = hook:1 ] && interactive=yes
if command -v tmux >/dev/null 2>&1; then
	if tmux -L "inside-$$" -f /dev/null new-session -d -s x 'sleep 60' 2>/dev/null; then
		multiplexer=yes
		tmux -L "inside-$$" kill-server 2>/dev/null
	fi
fi
say interactive "$interactive"
say multiplexer "$multiplexer"
say end yes
printf '%s\n' "$answers"
