#!/bin/sh
# Stands in front of asterweave-hook, so that a hook never fails open only because
# the program is not there: an event that decides something is refused while a
# delivery's ledger lies above the current folder, and answers nothing elsewhere.
# It starts no process but the program itself.
#
# Usage: run.sh EVENT < payload
for hook in "${ASTERWEAVE_HOOK:-}" "${CLAUDE_PLUGIN_ROOT:-}/bin/asterweave-hook" "${CLAUDE_PLUGIN_DATA:-}/bin/asterweave-hook"; do
	[ -n "$hook" ] && [ -f "$hook" ] && [ -x "$hook" ] && exec "$hook" "$@"
done
command -v asterweave-hook >/dev/null && exec asterweave-hook "$@"

case "${1:-}" in
pre-tool-use | user-prompt-expansion | subagent-stop | stop) ;;
*) exit 0 ;;
esac
dir=$PWD
while [ -n "$dir" ]; do
	if [ -e "$dir/.claude/asterweave/ledger.jsonl" ]; then
		echo "asterweave: asterweave-hook is missing while a delivery is open here; build it with make build, or remove the plugin" >&2
		exit 2
	fi
	dir=${dir%/*}
done
exit 0
