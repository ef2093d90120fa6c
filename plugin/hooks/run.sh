#!/bin/sh
# Stands in front of asterweave-hook, so that a hook never fails open only because
# the program is not there: an event that decides something is refused while a
# delivery's ledger lies above the current folder, and answers nothing elsewhere.
# It starts no process but the program itself; only the first time after an
# installation it asks for the platform, and leaves a link in the plugin's data folder.
# Where there is no program, one of the plugin's commands that a person typed may
# build it (build.sh); a tool's event never does.
#
# Usage: run.sh EVENT < payload
root=${CLAUDE_PLUGIN_ROOT:-}
found=${CLAUDE_PLUGIN_DATA:+$CLAUDE_PLUGIN_DATA/found$root} # each installation has its own
for hook in "${ASTERWEAVE_HOOK:-}" "$root/bin/asterweave-hook" "${found:+$found/asterweave-hook}" "${CLAUDE_PLUGIN_DATA:-}/bin/asterweave-hook"; do
	[ -n "$hook" ] && [ -f "$hook" ] && [ -x "$hook" ] && exec "$hook" "$@"
done
if [ -d "$root/bin/linux-amd64" ]; then
	case "$(uname -s)-$(uname -m)" in
	Linux-x86_64) platform=linux-amd64 ;;
	Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
	Darwin-x86_64) platform=darwin-amd64 ;;
	Darwin-arm64) platform=darwin-arm64 ;;
	*) platform=none ;;
	esac
	hook=$root/bin/$platform/asterweave-hook
	if [ -x "$hook" ]; then
		[ -n "$found" ] && mkdir -p "$found" && ln -sf "$hook" "$found/asterweave-hook"
		exec "$hook" "$@"
	fi
fi
command -v asterweave-hook >/dev/null && exec asterweave-hook "$@"

# There is no program.
how="make install in a clone of the project puts them on PATH"
dir=$PWD
while [ -n "$dir" ] && [ ! -e "$dir/.claude/asterweave/ledger.jsonl" ]; do
	dir=${dir%/*}
done
case "${1:-}" in
session-start)
	[ -n "$dir" ] && echo "Asterweave: a delivery's ledger lies here, and its programs are not on this machine: $how. Tell the person; until then tool calls are refused here."
	;;
user-prompt-expansion)
	read -r payload
	case "$payload" in
	*'"command_name":"asterweave'[:\"]*)
		why=$(sh "$root/hooks/build.sh" "$found" 45) && {
			printf '%s\n' "$payload" | "$found/asterweave-hook" "$@"
			exit
		}
		echo "asterweave: its programs are not on this machine; ${why:-$how}" >&2
		exit 2
		;;
	esac
	;;
pre-tool-use | subagent-stop | stop)
	if [ -n "$dir" ]; then
		echo "asterweave: asterweave-hook is missing while a delivery is open here; $how, or remove the plugin" >&2
		exit 2
	fi
	;;
esac
exit 0
