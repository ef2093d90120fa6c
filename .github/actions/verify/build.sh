#!/usr/bin/env bash
# Builds the verifier from the source that this script lies in, and from nothing of the
# checkout that is verified: a go.work above it, or settings of Go, would change what is
# built.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
temp=${RUNNER_TEMP:-${AGENT_TEMPDIRECTORY:?neither RUNNER_TEMP nor AGENT_TEMPDIRECTORY is set}}

cd -- "$here/../../.."
unset GOFLAGS GOEXPERIMENT
export GOWORK=off GOENV=off CGO_ENABLED=0
mkdir -p -- "$temp/asterweave"
go build -mod=readonly -trimpath -buildvcs=false -o "$temp/asterweave/" ./cmd/asterweave-state
