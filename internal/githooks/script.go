package githooks

import "strings"

// The texts are plain sh, and until they know which hook to run they use what is built
// into it, so that they hold with any PATH.

// shared finds the hook that Git would have run: where rev-parse says that hooks lie
// when our folder is not in the environment. Only this one question is asked without
// it; the hook itself gets the environment as it is, and so do the pushes that it makes.
const shared = `
own() (
  i=0
  while [ "$i" -lt "${GIT_CONFIG_COUNT:-0}" ]; do
    eval "value=\${GIT_CONFIG_VALUE_$i-}"
    if [ "$value" = "$here" ]; then
      export "GIT_CONFIG_KEY_$i=asterweave.hooks"
    fi
    i=$((i + 1))
  done
  git rev-parse --git-path hooks </dev/null
)
next() {
  folder=$(own) || folder=
  if [ -z "$folder" ] || [ "$folder" -ef "$here" ] || [ ! -f "$folder/$name" ] || [ ! -x "$folder/$name" ]; then
    next=
  else
    next=$folder/$name
  fi
}
`

// handOn ends as the repository's own hook ends, and with 0 where there is none.
const handOn = `
next
if [ -n "$next" ]; then
  exec "$next" "$@"
fi
exit 0
`

// gone refuses while a delivery is open, for a judge that is not there or not sound. A
// ledger whose delivery has ended has an event that says so; in a text that somebody
// wrote, quotes have a backslash before them.
const gone = `
open() {
  [ -f "$1/.claude/asterweave/ledger.jsonl" ] && ! grep -q '"ended":{' "$1/.claude/asterweave/ledger.jsonl"
}
gone() {
  if open . || { [ -n "$root" ] && open "$root"; }; then
    echo "asterweave: error: a delivery is open and the program that judges pushes did not answer: $program" >&2
    echo "asterweave: hint: build or install it again; asterweave-state doctor says what is missing" >&2
    exit 1
  fi
}
`

// judge reads what Git is about to send, and asks. Status 3 is a refusal, which has been
// explained; any other but 0 is no answer.
const judge = `
refs=
while IFS= read -r line || [ -n "$line" ]; do
  refs="$refs$line
"
done
if [ -x "$program" ]; then
  printf '%s' "$refs" | "$program" guard pre-push --worktree "$root" -- "$@"
  case $? in
    0) ;;
    3) exit 1 ;;
    *) gone ;;
  esac
else
  gone
fi
`

// handOnRefs is handOn for a hook whose standard input has been read.
const handOnRefs = `
if [ -n "$next" ]; then
  printf '%s' "$refs" | "$next" "$@"
  exit $?
fi
exit 0
`

// script is the hook of that name in the folder.
func (h Hooks) script(folder, name string) []byte {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Asterweave: runs the repository's own hook of this name, as Git would")
	if name == PrePush {
		b.WriteString(", once the push has been judged")
	}
	b.WriteString(".\nname=" + name + "\nhere=" + quote(folder) + "\n")
	if name != PrePush {
		return []byte(b.String() + shared + handOn)
	}
	b.WriteString("root=" + quote(h.Root) + "\nprogram=" + quote(h.Program) + "\n")
	return []byte(b.String() + gone + judge + shared + "\nnext\n" + handOnRefs)
}
