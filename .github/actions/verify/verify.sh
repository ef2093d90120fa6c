#!/usr/bin/env bash
# Runs the verifier that build.sh made. Its exit status is the step's: 0 only when every
# check is open, or unknown and named in ALLOW_UNKNOWN.
set -euo pipefail

temp=${RUNNER_TEMP:-${AGENT_TEMPDIRECTORY:?neither RUNNER_TEMP nor AGENT_TEMPDIRECTORY is set}}
arguments=(--root "${CHECKOUT:?CHECKOUT is the folder of the checkout}" verify --ci)

[[ -z ${BASE:-} ]] || arguments+=("--base=$BASE")
[[ -z ${JOB:-} ]] || arguments+=("--job=$JOB")
[[ -z ${WAIT:-} ]] || arguments+=("--wait=$WAIT")
case ${RERUN:-false} in
true) arguments+=(--rerun) ;;
false) ;;
*)
  printf 'asterweave: error: rerun is true or false\n' >&2
  exit 64
  ;;
esac

read -r -d '' -a names <<<"${ALLOW_UNKNOWN:-}" || true # the end of the text is no error
for name in "${names[@]}"; do
  arguments+=("--allow-unknown=$name")
done

exec "$temp/asterweave/asterweave-state" "${arguments[@]}"
