package guard

import "strings"

// typed judges programs that type into another terminal, where a person could be taken to
// have said it.
func (w *walker) typed(name string, args []arg) {
	words := texts(args)
	all := strings.Join(words, " ")
	switch name {
	case "tmux":
		if !strings.Contains(all, "send-keys") && !strings.Contains(all, "send ") && !strings.Contains(all, "paste-buffer") && !strings.Contains(all, "set-buffer") {
			return
		}
	case "screen":
		if !strings.Contains(all, "stuff") && !strings.Contains(all, "paste") {
			return
		}
	case "xdotool", "ydotool", "wtype", "zellij", "kitty", "dtach":
	default:
		return
	}
	for _, t := range words {
		t = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(t, `\n`, "")))
		switch {
		case strings.Contains(t, "asterweave"):
			w.add(deny(RuleTerminal, "a person's word would be typed into another terminal", "a person types it in the client or in a terminal of their own; asterweave-state inbox shows what waits for them"))
		case t == "y" || t == "yes" || t == "approve":
			w.add(ask(RuleTerminal, "an answer would be typed into another terminal", "run the command so that it does not ask"))
		}
	}
}
