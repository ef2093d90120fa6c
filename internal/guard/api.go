package guard

import (
	"strings"
)

// api judges gh api and glab api: reads pass.
func (w *walker) api(args []arg, e *env) {
	words, flags := split(args, func(n string) bool {
		switch n {
		case "method", "X", "field", "F", "raw-field", "f", "header", "H", "input", "jq", "q", "template", "t", "preview", "p", "cache", "hostname", "R", "repo":
			return true
		}
		return false
	})
	if w.announcedAPI(words, flags, e) {
		return
	}
	path := ""
	if len(words) > 1 {
		path = words[1].text
	}
	method, fields := "", false
	query, input := "", ""
	for _, f := range flags {
		switch f.name {
		case "method", "X":
			if f.val.dim() {
				w.add(unresolved("the method of the request"))
			}
			method = strings.ToUpper(f.val.text)
		case "field", "F", "raw-field", "f":
			fields = true
			if v, ok := strings.CutPrefix(f.val.text, "query="); ok {
				query = v
				if file, ok := strings.CutPrefix(v, "@"); ok && f.name != "f" && f.name != "raw-field" {
					query = w.fileOrInput(file, e)
				}
			} else if f.val.vague() {
				query = anything
			}
		case "header", "H":
			if strings.Contains(strings.ToLower(f.val.text), "method-override") {
				w.add(providerWrite("this request changes something at the provider"))
			}
		case "input":
			fields = true
			input = w.fileOrInput(f.val.text, e)
		}
	}
	if method == "" {
		method = "GET"
		if fields {
			method = "POST"
		}
	}
	for _, a := range words {
		if a.vague() && method == "GET" && a.loose {
			w.add(unresolved("a word of the request"))
		}
	}
	if strings.Trim(path, "/") == "graphql" || strings.HasSuffix(path, "/graphql") {
		w.graphql(query + input)
		return
	}
	if method != "GET" && method != "HEAD" {
		w.add(providerWrite("this request changes something at the provider"))
	}
}

func (w *walker) fileOrInput(name string, e *env) string {
	if name == "-" {
		return e.in.text
	}
	return w.content(arg{text: name}, e)
}

// graphql judges a query: a mutation changes something, whatever it is called.
func (w *walker) graphql(query string) {
	switch {
	case mutates(query):
		w.add(providerWrite("a mutation changes something at the provider"))
	case query == "" || strings.ContainsAny(query, anything+outside):
		w.add(unresolved("the query"))
	}
}

// mutates reports whether an operation of the document is a mutation: the word stands
// outside of all braces, strings and comments. In a body of JSON the query is itself a string.
func mutates(query string) bool {
	if strings.HasPrefix(strings.TrimSpace(query), "{\"") {
		return strings.Contains(query, "mutation") || strings.Contains(query, `\u`) // letters may be written as numbers
	}
	depth := 0
	for i := 0; i < len(query); i++ {
		switch c := query[i]; c {
		case '#':
			i += len(lineOf(query[i:])) - 1
		case '"':
			i += stringEnd(query[i:]) - 1
		case '{', '(':
			depth++
		case '}', ')':
			depth = max(0, depth-1)
		case 'm':
			if depth == 0 && strings.HasPrefix(query[i:], "mutation") && (i == 0 || !isWordByte(query[i-1])) {
				return true
			}
		}
	}
	return false
}

// lineOf is the text up to where a line ends for GraphQL, which is also at a lone carriage
// return.
func lineOf(text string) string {
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		return text[:end+1]
	}
	return text
}

// stringEnd returns the length of the string that the text begins with, which may be one
// of several lines between three quotes.
func stringEnd(text string) int {
	quote := `"`
	if strings.HasPrefix(text, `"""`) {
		quote = `"""`
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\\' && (quote == `"` || strings.HasPrefix(text[i+1:], quote)):
			i += len(quote)
		}
	}
	return len(text)
}

// http judges curl, wget and httpie where they speak to a provider.
func (w *walker) http(name string, args []arg, e *env) {
	r := request{name: name}
	for i := 0; i < len(args); i++ {
		i += r.word(w, args, i, e)
	}
	r.sends = r.sends || r.httpie() && e.in.there && e.in.text != ""
	if r.method == "" {
		r.method = "GET"
		if r.data != "" || r.sends {
			r.method = "POST"
		}
	}
	provider, dim := false, false
	for _, u := range r.urls {
		provider = provider || providerHost(u)
		dim = dim || strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(u, "https://"), "http://"), anything) || strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(u, "https://"), "http://"), outside)
		if strings.Contains(u, "graphql") && providerHost(u) && r.method == "POST" {
			w.graphql(r.data)
			return
		}
	}
	if r.method == "GET" || r.method == "HEAD" || r.method == "OPTIONS" {
		return
	}
	switch {
	case provider:
		w.add(providerWrite("this request changes something at the provider"))
	case dim && (r.token || r.names()):
		w.add(ask(RuleUnresolved, "where the request goes cannot be told before it runs", "write the address out"))
	case r.config:
		w.add(ask(RuleUnresolved, "the request is read from a file", "write it out"))
	}
}

// request is what the words of an HTTP client ask for.
type request struct {
	name   string
	method string
	told   bool // the method was named, and no other option changes it
	urls   []string
	data   string
	sends  bool
	token  bool
	config bool
}

func (r *request) httpie() bool {
	return strings.HasPrefix(r.name, "http") || strings.HasPrefix(r.name, "xh") || r.name == "curlie"
}

// word reads one word and returns how many more it took.
func (r *request) word(w *walker, args []arg, i int, e *env) int {
	t := args[i].text
	next := ""
	if i+1 < len(args) {
		next = args[i+1].text
	}
	name, val, has := strings.Cut(t, "=")
	take := func() (string, int) {
		if has {
			return val, 0
		}
		return next, 1
	}
	httpie := r.httpie()
	switch {
	case r.name == "curl" && (t == "--next" || t == "-:"):
		r.next()
	case abbreviates(name, "request") && !strings.HasPrefix(name, "--request-") || abbreviates(name, "method"):
		v, n := take()
		r.setMethod(w, v)
		return n
	case !httpie && strings.HasPrefix(t, "-X"):
		if len(t) > 2 {
			r.setMethod(w, t[2:])
			return 0
		}
		r.setMethod(w, next)
		return 1
	case r.name == "wget" && (t == "-e" || name == "--execute"):
		v, n := take()
		if k, val, _ := strings.Cut(v, "="); strings.TrimSpace(k) == "method" {
			r.setMethod(w, strings.TrimSpace(val))
		} else if strings.HasPrefix(strings.TrimLeft(k, " "), "post_") || strings.HasPrefix(strings.TrimLeft(k, " "), "body_") {
			r.sends = true
		}
		return n
	case strings.HasPrefix(name, "--dat") || r.name == "curl" && (strings.HasPrefix(name, "--js") || strings.HasPrefix(name, "--form-s") || name == "--form" || abbreviates(name, "upload-file")) || r.name == "wget" && (strings.HasPrefix(name, "--post-") || strings.HasPrefix(name, "--body-")) || name == "--json" || name == "--form" || name == "--form-string" || name == "--upload-file" || name == "--post-data" || name == "--body-data" || name == "--post-file" || name == "--body-file" || name == "--raw":
		v, n := take()
		r.body(w, v, e)
		if strings.HasPrefix(name, "--up") && r.method == "" {
			r.method = "PUT"
		}
		return n
	case !httpie && len(t) == 2 && (t == "-d" || t == "-F" || t == "-T") && r.name != "wget":
		r.body(w, next, e)
		return 1
	case !httpie && r.name != "wget" && (strings.HasPrefix(t, "-d") || strings.HasPrefix(t, "-F") || strings.HasPrefix(t, "-T")):
		r.body(w, t[2:], e)
	case t == "-H" || name == "--header":
		v, n := take()
		if strings.Contains(strings.ToLower(v), "method-override") {
			r.sends = true
		}
		r.token = r.token || strings.Contains(strings.ToLower(v), "authorization") || strings.Contains(strings.ToLower(v), "token")
		return n
	case r.name == "curl" && (t == "-K" || name == "--config"):
		v, n := take()
		r.file(w, v, e)
		return n
	case name == "--url":
		v, n := take()
		r.urls = append(r.urls, v)
		return n
	case r.name == "curl" && (t == "-G" || t == "--get"):
		r.reads("GET")
	case r.name == "curl" && (t == "-I" || t == "--head"):
		r.reads("HEAD")
	case r.name == "curl" && len(t) == 2 && strings.Contains("-o-u-A-b-c-e-m-x-w-E-r-z-C-D-U-y-Y-P-Q", t), name == "--output" || name == "--user" || name == "--max-time" || name == "--retry":
		if t == "-u" || name == "--user" {
			r.token = true
		}
		_, n := take()
		return n
	case strings.HasPrefix(t, "-") && len(t) > 1:
		if r.name == "curl" && t[1] != '-' { // letters together: the last may take a value
			for j := 1; j < len(t); j++ {
				switch t[j] {
				case 'X':
					if j+1 < len(t) {
						r.setMethod(w, t[j+1:])
						return 0
					}
					r.setMethod(w, next)
					return 1
				case 'd', 'F', 'T':
					if j+1 < len(t) {
						r.body(w, t[j+1:], e)
						return 0
					}
					r.body(w, next, e)
					return 1
				case 'I':
					r.reads("HEAD")
				case 'G':
					r.reads("GET")
				case 'o', 'u', 'A', 'H', 'b', 'c', 'e', 'm', 'x', 'w':
					if j+1 == len(t) {
						return 1
					}
					return 0
				}
			}
		}
	case httpie && len(r.urls) == 0 && t != "" && strings.Trim(strings.ToUpper(t), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && i+1 < len(args):
		r.setMethod(w, t)
	case httpie && len(r.urls) > 0 && sendsItem(t):
		r.sends = true
		r.data += t + "\n"
	default:
		r.urls = append(r.urls, t)
	}
	return 0
}

func (r *request) setMethod(w *walker, m string) {
	if strings.ContainsAny(m, marks) {
		w.add(unresolved("the method of the request"))
	}
	r.method, r.told = strings.ToUpper(m), true
}

// reads takes an option that makes the request a read, unless its method was named.
func (r *request) reads(method string) {
	if !r.told {
		r.method, r.told = method, true
	}
}

// next closes a request of curl; the next one has a method of its own. What one of them
// changes counts for all.
func (r *request) next() {
	if r.told && r.method != "GET" && r.method != "HEAD" {
		return
	}
	r.method, r.told = "", false
}

// sendsItem reports whether an item of httpie is a part of the body: x=y, x:=y, x@file.
func sendsItem(t string) bool {
	at := strings.IndexAny(t, "=@:")
	if at < 0 || strings.HasPrefix(t[at:], "==") {
		return false
	}
	return t[at] != ':' || strings.HasPrefix(t[at:], ":=")
}

func (r *request) body(w *walker, v string, e *env) {
	r.sends = true
	if f, ok := strings.CutPrefix(v, "@"); ok {
		v = w.fileOrInput(f, e)
	}
	r.data += v
}

// file reads a file of options of curl.
func (r *request) file(w *walker, name string, e *env) {
	text := w.fileOrInput(name, e)
	if strings.ContainsAny(text, marks) {
		r.config, r.method = true, "POST"
		return
	}
	for line := range strings.Lines(text) {
		key, val, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "- ")), " ")
		if k, v, ok := strings.Cut(key, "="); ok {
			key, val = k, v
		}
		val = strings.Trim(strings.TrimLeft(val, "= "), `"`)
		switch key {
		case "request", "X":
			r.method = strings.ToUpper(val)
		case "url":
			r.urls = append(r.urls, val)
		case "data", "d", "json":
			r.sends = true
			r.data += val
		}
	}
}

// names reports whether an address names what the forbidden writes are about.
func (r *request) names() bool {
	all := strings.ToLower(strings.Join(r.urls, " "))
	for _, k := range []string{"/merge", "/pulls", "/pullrequests", "/reviews", "/approv", "/protection", "/rulesets", "graphql", "/git/refs", "/repos/", "merge_requests", "/_apis/"} {
		if strings.Contains(all, k) {
			return true
		}
	}
	return false
}

// providerHost reports whether an address is one of a provider of repositories.
func providerHost(url string) bool {
	u := strings.ToLower(url)
	for _, k := range []string{"api.github.", "github.com/", "dev.azure.com", "visualstudio.com", "gitlab.", "api.bitbucket.", "/api/v3/", "/api/v4/projects", "/api/v1/repos", "/_apis/", "/api/graphql", "/graphql/repos", "/repos/", "merge_requests", "pullrequests"} {
		if strings.Contains(u, k) {
			return !strings.Contains(u, "://127.0.0.1") && !strings.Contains(u, "://localhost") && !strings.HasPrefix(u, "localhost") && !strings.HasPrefix(u, "127.0.0.1")
		}
	}
	return strings.HasSuffix(u, "github.com")
}
