package cli

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/asterweave/asterweave/internal/problem"
)

// terminalPath is the controlling terminal, which a shell of an agent does not have.
const terminalPath = "/dev/tty"

func openTerminal() (*os.File, error) {
	return os.OpenFile(terminalPath, os.O_RDWR, 0)
}

// typed shows a text on the terminal and reads a line that is typed there. Standard
// input is not asked: anybody can pipe into it.
func typed(text, question string) (string, error) {
	tty, err := openTerminal()
	if err != nil {
		return "", problem.New(problem.HumanOnly, "there is no terminal to ask a human on", "a human types it in the client, or in a terminal of their own")
	}
	defer tty.Close()
	if _, err := io.WriteString(tty, text+"\n"+question+" "); err != nil {
		return "", problem.Wrap(problem.HumanOnly, err, "try it in another terminal")
	}
	line, err := bufio.NewReader(io.LimitReader(tty, 4096)).ReadString('\n')
	if err != nil {
		return "", problem.New(problem.HumanOnly, "nothing was typed", "type the first 8 digits of the digest")
	}
	return strings.TrimSpace(line), nil
}
