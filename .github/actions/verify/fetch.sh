#!/usr/bin/env bash
# Brings a checkout to the head of the pull request, and fetches what it is verified
# against: the whole history of head and base, and the notes.
#
# The values come from an event and are not trusted: each is checked before Git gets it,
# and the name of the head's branch is not used at all.
set -euo pipefail

fail() {
  printf 'asterweave: error: %s\n' "$1" >&2
  exit 1
}

# Azure Pipelines says it in variables of its own.
head=${EVENT_HEAD:-${RUN_HEAD:-${SYSTEM_PULLREQUEST_SOURCECOMMITID:-}}}
base=${BASE:-${EVENT_BASE:-${GROUP_BASE:-${SYSTEM_PULLREQUEST_TARGETBRANCH:-}}}}
base=${base#refs/heads/}
notes=refs/notes/asterweave
fetch=(git fetch --quiet --no-tags --no-recurse-submodules)

cd -- "${CHECKOUT:?CHECKOUT is the folder of the checkout}"
export GIT_TERMINAL_PROMPT=0 GIT_LFS_SKIP_SMUDGE=1 GIT_ALLOW_PROTOCOL=https:ssh:file
url=$(git config --get remote.origin.url) || fail "the checkout has no remote origin"

# The token is told to the commands of this step, and written nowhere.
if [[ -n ${TOKEN:-} && $url == https://* ]]; then
  host=${url#https://}
  host=${host%%/*}
  if [[ -n ${TF_BUILD:-} ]]; then
    header="AUTHORIZATION: bearer $TOKEN"
  else
    header="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$TOKEN" | base64 | tr -d '\n')"
  fi
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.https://${host#*@}/.extraheader" GIT_CONFIG_VALUE_0="$header"
fi

if [[ $(git rev-parse --is-shallow-repository) == true ]]; then
  "${fetch[@]}" --unshallow origin || fail "the whole history could not be fetched"
fi

if [[ -n $base ]]; then
  git check-ref-format "refs/heads/$base" || fail "the base is no name of a branch"
  "${fetch[@]}" origin "+refs/heads/$base:refs/remotes/origin/$base" || fail "the base branch could not be fetched"
else
  "${fetch[@]}" origin "+refs/heads/*:refs/remotes/origin/*" || fail "the branches could not be fetched"
  git remote set-head origin --auto >/dev/null || fail "the remote's default branch is not known: name the base"
fi

# A merge queue tests a merge of its own; what was delivered is the pull request's head.
if [[ -n ${GROUP_HEAD:-} ]]; then
  [[ $GROUP_HEAD =~ ^refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]*)-[0-9a-f]{40,64}$ ]] || fail "the merge group's ref names no pull request"
  "${fetch[@]}" origin "+refs/pull/${BASH_REMATCH[1]}/head:refs/asterweave/head" || fail "the head of the pull request could not be fetched"
  head=$(git rev-parse --verify --quiet 'refs/asterweave/head^{commit}') || fail "the head of the pull request is no commit"
fi

if [[ -n $head ]]; then
  [[ $head =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]] || fail "the head of the event is no commit"
  if ! git cat-file -e "$head^{commit}" 2>/dev/null; then
    "${fetch[@]}" origin "$head" || fail "the head $head could not be fetched: the event may be older than a forced push"
  fi
  git -c advice.detachedHead=false checkout --quiet --detach "$head" || fail "the head $head could not be checked out"
fi

# Of a fork, the notes lie in the fork.
from=origin
if [[ -n ${EVENT_FROM:-} && ${EVENT_FROM%.git} != "${url%.git}" ]]; then
  from=$EVENT_FROM
fi
status=0
git ls-remote --quiet --exit-code -- "$from" "$notes" >/dev/null || status=$?
case $status in
0) "${fetch[@]}" -- "$from" "+$notes:$notes" || fail "the notes could not be fetched" ;;
2) printf 'there are no notes under %s\n' "$notes" ;;
*) fail "whether there are notes could not be found out" ;;
esac
