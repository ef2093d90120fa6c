package guard

import (
	"strings"
)

func echo(args []string) string {
	escapes, end := false, "\n"
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0], "e")
		if strings.Contains(args[0], "n") {
			end = ""
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		text = ansi(text)
	}
	return text + end
}

// printf does %s and %b; any other directive that it meets is not known.
func printf(args []string) string {
	if len(args) > 1 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return anything
	}
	format, args := nulls(args[0]), args[1:]
	var b strings.Builder
	for round := 0; round == 0 || len(args) > 0 && strings.Contains(format, "%"); round++ {
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			i++
			next := ""
			switch format[i] {
			case '%':
				b.WriteByte('%')
				continue
			case 's', 'b', 'd', 'c':
				if len(args) > 0 {
					next, args = args[0], args[1:]
				}
				b.WriteString(next)
			default:
				return anything
			}
		}
		if b.Len() > maxValue || round > maxFields || round > 0 && len(args) > 0 && strings.Count(format, "%%")*2 == strings.Count(format, "%") {
			return anything
		}
	}
	return ansi(b.String())
}

// nulls writes the bytes out that end the words of xargs -0.
func nulls(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] != '\\' || i+1 == len(format):
			b.WriteByte(format[i])
		case format[i+1] == '0' && (i+2 == len(format) || format[i+2] < '0' || format[i+2] > '7'):
			b.WriteByte(0)
			i++
		default:
			b.WriteString(format[i : i+2])
			i++
		}
	}
	return b.String()
}

func reversed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		r := []rune(l)
		for a, z := 0, len(r)-1; a < z; a, z = a+1, z-1 {
			r[a], r[z] = r[z], r[a]
		}
		lines[i] = string(r)
	}
	return strings.Join(lines, "\n")
}

// tr does the deletion of single characters and the map of sets of one length.
func tr(args []string, text string) string {
	if len(args) != 2 || strings.ContainsAny(args[0]+args[1], "\\[:-") && args[0] != "-d" {
		return anything
	}
	if args[0] == "-d" {
		set := ansi(args[1])
		if strings.ContainsAny(set, "[-") {
			return anything
		}
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(set, r) {
				return -1
			}
			return r
		}, text)
	}
	if len(args[0]) != len(args[1]) {
		return anything
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(args[0], r); i >= 0 {
			return rune(args[1][i])
		}
		return r
	}, text)
}
