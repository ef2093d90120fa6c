package wire

import (
	"errors"
	"fmt"
	"strings"
)

// onlyQueries returns an error unless every operation of a GraphQL document is a query.
// It reads the document as far as it has to: words, braces, strings, block strings and
// comments, as https://spec.graphql.org/October2021/#sec-Language has them. What it does
// not understand is an error.
func onlyQueries(document string) error {
	if strings.Contains(strings.ReplaceAll(document, "\r\n", "\n"), "\r") {
		return errors.New("the query has a carriage return that not every reader takes for a line end")
	}
	operations := 0
	var open []byte  // what has to close, innermost last
	definition := "" // the word that began the definition at hand
	for rest := strings.TrimPrefix(document, "\ufeff"); rest != ""; {
		c := rest[0]
		switch {
		case c == '#':
			end := strings.IndexAny(rest, "\r\n")
			if end < 0 {
				end = len(rest)
			}
			rest = rest[end:]
		case c == '"':
			n, err := text(rest)
			if err != nil {
				return err
			}
			rest = rest[n:]
		case c == '{' || c == '(' || c == '[':
			if len(open) == 0 && definition == "" {
				if c != '{' {
					return errors.New("the query begins with a bracket")
				}
				operations++ // a query without a name
			}
			open = append(open, map[byte]byte{'{': '}', '(': ')', '[': ']'}[c])
			rest = rest[1:]
		case c == '}' || c == ')' || c == ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return errors.New("the query closes what it did not open")
			}
			if open = open[:len(open)-1]; c == '}' && len(open) == 0 {
				definition = ""
			}
			rest = rest[1:]
		case letter(c):
			n := 1
			for n < len(rest) && (letter(rest[n]) || '0' <= rest[n] && rest[n] <= '9') {
				n++
			}
			if word := rest[:n]; len(open) == 0 {
				switch {
				case definition == "" && word == "query":
					operations++
					definition = word
				case definition == "" && word == "fragment":
					definition = word
				case definition == "", word == "mutation", word == "subscription": // not even as a name
					return fmt.Errorf("only queries are posted, and this is a %.20s", word)
				}
			}
			rest = rest[n:]
		default:
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c > '~' {
				return errors.New("the query holds a byte that no query has outside of a string")
			}
			rest = rest[1:]
		}
	}
	switch {
	case len(open) > 0 || definition != "":
		return errors.New("the query ends in the middle")
	case operations == 0:
		return errors.New("there is no query in it")
	}
	return nil
}

func letter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// text returns the length of the string that s begins with.
func text(s string) (int, error) {
	if strings.HasPrefix(s, `"""`) {
		for i := 3; i < len(s); i++ {
			switch {
			case strings.HasPrefix(s[i:], `\"""`):
				i += 3
			case strings.HasPrefix(s[i:], `"""`):
				return i + 3, nil
			}
		}
		return 0, errors.New("the query ends in a string")
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) || !strings.ContainsRune(`"\/bfnrtu`, rune(s[i])) {
				return 0, errors.New("the query has an escape that no string has")
			}
		case '"':
			return i + 1, nil
		case '\n', '\r':
			return 0, errors.New("the query has a line end in a string")
		}
	}
	return 0, errors.New("the query ends in a string")
}
