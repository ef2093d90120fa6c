package scripted

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// envFile is the variable by which a client tells a session's first hook where it
// may leave exports for the agents' shells.
const envFile = "CLAUDE_ENV_FILE"

// readExports returns the variables that a hook left, as KEY=value. A client
// sources the file; here each line is one export whose value needs no shell.
func readExports(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	form := regexp.MustCompile(`^export ([A-Za-z_][A-Za-z0-9_]*)=(?:'([^']*)'|([A-Za-z0-9_./:@%+,=-]*))$`)
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := form.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("the session's exports hold a line that is no plain export: %q", line)
		}
		out = append(out, m[1]+"="+m[2]+m[3])
	}
	return out, nil
}
