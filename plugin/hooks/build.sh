#!/bin/sh
# Builds both programs from the clone that the client keeps of the marketplace, where Go
# is on PATH and the clone has the version that is installed. The build goes on when
# the time is up, and when the client ends the hook.
#
# Usage: build.sh FOLDER SECONDS
#
# Status 0: the programs are in FOLDER. Else one line says what the person can do.
into=$1
root=${CLAUDE_PLUGIN_ROOT:-}
install="make install in a clone of the project puts them on PATH"
no() {
	echo "$1"
	exit 1
}

market=${root##*/plugins/cache/}
clone=${root%/cache/*}/marketplaces/${market%%/*}
manifest=.claude-plugin/plugin.json
[ -n "$into" ] && [ "$market" != "$root" ] && [ -f "$clone/go.mod" ] && cmp -s "$clone/plugin/$manifest" "$root/$manifest" || no "$install"
command -v go >/dev/null || no "$install; where Go is on PATH, this command builds them"
mkdir -p "$into" && rm -f "$into/build.status" || no "$install"
(
	trap '' HUP INT TERM
	new=$into/new.$$
	cd "$clone" && GOTOOLCHAIN=local go build -trimpath -o "$new/" ./cmd/asterweave-state ./cmd/asterweave-hook &&
		mv -f "$new/asterweave-state" "$into/" && mv -f "$new/asterweave-hook" "$into/"
	echo $? >"$into/build.status"
	rm -rf "$new"
) >"$into/build.log" 2>&1 </dev/null &
left=$2
while [ ! -f "$into/build.status" ]; do
	[ "$left" -gt 0 ] || no "they are being built now; type it again in a minute"
	left=$((left - 1))
	sleep 1
done
[ -x "$into/asterweave-hook" ] || no "$install; $into/build.log says why they could not be built"
