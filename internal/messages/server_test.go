package messages

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// modelFunc is a model that is one function.
type modelFunc func(Request) Reply

func (f modelFunc) Turn(r Request) Reply { return f(r) }

func start(t *testing.T, m Model) (*Server, string) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(m)
	if err := s.Serve(l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, "http://" + l.Addr().String()
}

// body is a request with one text of the user, and what is put in besides.
func body(t *testing.T, text string, set object) []byte {
	t.Helper()
	b := object{"model": "a-model", "stream": true, "max_tokens": 100, "messages": []object{{"role": "user", "content": text}}}
	for k, v := range set {
		b[k] = v
	}
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// response is one whose body is closed when the test ends.
type response struct {
	StatusCode int
	Header     http.Header
	Body       io.Reader
}

func post(t *testing.T, url string, data []byte, headers ...string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return response{res.StatusCode, res.Header, res.Body}
}

// told is a message put together from its events, as a client does it.
type told struct {
	id, stop string
	text     string
	uses     []ToolUse
}

// events reads a stream and holds it to the order of the protocol.
func events(t *testing.T, r io.Reader) told {
	t.Helper()
	var out told
	var input strings.Builder
	open, last, kind := -1, "", ""
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, ok := strings.CutPrefix(lines.Text(), "event: ")
		if !ok || !lines.Scan() {
			t.Fatalf("no event: %q", lines.Text())
		}
		var e struct {
			Type    string
			Index   int
			Message struct{ ID string }
			Block   struct{ Type, ID, Name string } `json:"content_block"`
			Delta   struct {
				Type, Text string
				Partial    string `json:"partial_json"`
				Stop       string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines.Text(), "data: ")), &e); err != nil || e.Type != name {
			t.Fatalf("%s: %v: %s", name, err, lines.Text())
		}
		switch name {
		case "message_start":
			out.id = e.Message.ID
		case "content_block_start":
			if open >= 0 || e.Index != len(out.uses)+min(1, len(out.text)) {
				t.Fatalf("block %d begins while %d is open", e.Index, open)
			}
			open, kind = e.Index, e.Block.Type
			if kind == "tool_use" {
				out.uses = append(out.uses, ToolUse{ID: e.Block.ID, Name: e.Block.Name})
				input.Reset()
			}
		case "content_block_delta":
			if e.Index != open {
				t.Fatalf("a delta of block %d while %d is open", e.Index, open)
			}
			out.text += e.Delta.Text
			input.WriteString(e.Delta.Partial)
		case "content_block_stop":
			if kind == "tool_use" {
				out.uses[len(out.uses)-1].Input = json.RawMessage(input.String())
			}
			open = -1
		case "message_delta":
			out.stop = e.Delta.Stop
		}
		last = name
		if !lines.Scan() || lines.Text() != "" {
			t.Fatalf("%s does not end with an empty line", name)
		}
	}
	if last != "message_stop" || open != -1 {
		t.Fatalf("the stream ends with %q", last)
	}
	return out
}

func TestStream(t *testing.T) {
	long := strings.Repeat("wörter ", 200)
	_, url := start(t, modelFunc(func(Request) Reply {
		return Reply{Text: long, Uses: []ToolUse{
			{Name: "Bash", Input: object{"command": strings.Repeat("é", 500)}}, {Name: "Read", Input: object{"file_path": "/a"}}, {Name: "Empty"},
		}}
	}))
	ids := map[string]bool{}
	for range 3 {
		res := post(t, url+"/v1/messages?beta=true", body(t, "hello", nil))
		if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
			t.Errorf("the type is %s", got)
		}
		got := events(t, res.Body)
		if got.text != long || got.stop != "tool_use" || len(got.uses) != 3 {
			t.Fatalf("got %+v", got)
		}
		for _, id := range []string{got.id, got.uses[0].ID, got.uses[1].ID, got.uses[2].ID} {
			if id == "" || ids[id] {
				t.Errorf("the id %q is not new", id)
			}
			ids[id] = true
		}
		var in struct{ Command string }
		if err := json.Unmarshal(got.uses[0].Input.(json.RawMessage), &in); err != nil || in.Command != strings.Repeat("é", 500) {
			t.Errorf("input %s: %v", got.uses[0].Input, err)
		}
		if string(got.uses[2].Input.(json.RawMessage)) != "{}" {
			t.Errorf("an input that is missing came as %s", got.uses[2].Input)
		}
	}
}

func TestKinds(t *testing.T) {
	s, url := start(t, modelFunc(func(r Request) Reply { return Reply{Text: "turn of " + string(r.Kind)} }))
	for _, c := range []struct {
		name    string
		data    []byte
		headers []string
		want    string
	}{
		{"main", body(t, "hello", nil), nil, "turn of main"},
		{"subagent", body(t, "hello", nil), []string{headerAgent, "a1"}, "turn of subagent"},
		{"compact", body(t, "Your task is to create a detailed summary of it", nil), nil, "<summary>"},
		{"title", body(t, "hello", object{"system": []object{{"type": "text", "text": "Generate a concise, sentence-case title (3-7 words)"}}}), nil, `{"title"`},
	} {
		got := events(t, post(t, url+"/v1/messages", c.data, c.headers...).Body)
		if !strings.Contains(got.text, c.want) || got.stop != "end_turn" {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.want)
		}
		all := s.Requests()
		if kind := all[len(all)-1].Kind; string(kind) != c.name {
			t.Errorf("%s was taken for %s", c.name, kind)
		}
	}
	res := post(t, url+"/v1/messages", body(t, "x", object{"stream": false, "system": "You are a security monitor for autonomous AI coding agents"}))
	var got struct{ Content []struct{ Text string } }
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || len(got.Content) != 1 || got.Content[0].Text != "<block>no</block>" {
		t.Errorf("classifier: %+v, %v", got, err)
	}
	var count struct {
		N int `json:"input_tokens"`
	}
	if err := json.NewDecoder(post(t, url+"/v1/messages/count_tokens", body(t, "x", nil)).Body).Decode(&count); err != nil || count.N == 0 {
		t.Errorf("count: %+v, %v", count, err)
	}
	head, err := http.Head(url + "/")
	if err != nil || head.StatusCode != http.StatusOK {
		t.Fatalf("HEAD: %v, %v", head, err)
	}
	_ = head.Body.Close()
	if err := s.Err(); err != nil {
		t.Error(err)
	}
	if res := post(t, url+"/v1/other", nil); res.StatusCode != http.StatusNotFound || s.Err() == nil {
		t.Errorf("an unknown path: %d, %v", res.StatusCode, s.Err())
	}
}

func TestFaults(t *testing.T) {
	turns := 0
	s, url := start(t, modelFunc(func(Request) Reply { turns++; return Reply{Text: "yes"} }))
	s.Fail(Main, Overloaded)
	s.Fail(Main, TooLong)
	s.Fail(Subagent, Overloaded)
	for _, want := range []int{529, http.StatusBadRequest, http.StatusOK} {
		res := post(t, url+"/v1/messages", body(t, "hello", nil))
		if res.StatusCode != want {
			t.Errorf("status %d, want %d", res.StatusCode, want)
		}
		if want != http.StatusOK {
			var e struct {
				Error struct{ Type, Message string }
			}
			if err := json.NewDecoder(res.Body).Decode(&e); err != nil || e.Error.Type == "" {
				t.Errorf("error %+v, %v", e, err)
			}
		}
	}
	if res := post(t, url+"/v1/messages", body(t, "hello", nil), headerAgent, "a1"); res.StatusCode != 529 {
		t.Errorf("the subagent's status is %d", res.StatusCode)
	}
	if turns != 1 {
		t.Errorf("the model heard of %d requests, want 1", turns)
	}
}

func TestStalledUntilClosed(t *testing.T) {
	s, url := start(t, modelFunc(func(Request) Reply { return Reply{} }))
	s.Fail(Main, Stalled)
	res := post(t, url+"/v1/messages", body(t, "hello", nil))
	ended := make(chan string)
	go func() {
		data, _ := io.ReadAll(res.Body)
		ended <- string(data)
	}()
	select {
	case got := <-ended:
		t.Fatalf("it ended with %q", got)
	case <-time.After(100 * time.Millisecond):
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; !strings.Contains(got, "message_start") || strings.Contains(got, "message_stop") {
		t.Errorf("the stalled answer is %q", got)
	}
}

func TestLoopbackOnly(t *testing.T) {
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := NewServer(nil).Serve(l); err == nil {
		t.Error("it serves on every address")
	}
}

// say sends a conversation on by one turn, and returns the answer.
func say(t *testing.T, url, agent string, history *[]object, content any) told {
	t.Helper()
	*history = append(*history, object{"role": "user", "content": content})
	got := events(t, post(t, url+"/v1/messages", body(t, "", object{"messages": *history}), headerSession, "s1", headerAgent, agent).Body)
	blocks := []object{{"type": "text", "text": got.text}}
	for _, u := range got.uses {
		blocks = append(blocks, object{"type": "tool_use", "id": u.ID, "name": u.Name, "input": u.Input})
	}
	*history = append(*history, object{"role": "assistant", "content": blocks})
	return got
}

func results(uses []ToolUse, text string) []object {
	var out []object
	for i, u := range uses {
		out = append(out, object{"type": "tool_result", "tool_use_id": u.ID, "content": fmt.Sprintf("%s %d", text, i)})
	}
	return out
}

// Agents side by side are told apart, and none waits for another.
func TestCastOfManyAgents(t *testing.T) {
	const agents = 8
	var all sync.WaitGroup
	all.Add(agents) // all have to be in their first turn before one answers
	cast := NewCast(nil, func(c *Conversation) {
		all.Done()
		all.Wait()
		name := c.Request().Prompt()
		out := c.Use(ToolUse{Name: "Bash", Input: object{"command": name}}, ToolUse{Name: "Read", Input: object{}})
		c.Say(name + ": " + out[0].Text + ", " + out[1].Text)
		c.End("bye " + c.Request().Prompt())
	})
	defer cast.Close()
	_, url := start(t, cast)
	var g sync.WaitGroup
	for i := range agents {
		g.Go(func() {
			name := fmt.Sprintf("agent %d", i)
			var h []object
			got := say(t, url, name, &h, name)
			got = say(t, url, name, &h, results(got.uses, name))
			if want := name + ": " + name + " 0, " + name + " 1"; got.text != want {
				t.Errorf("got %q, want %q", got.text, want)
			}
			if got = say(t, url, name, &h, "again"); got.text != "bye again" {
				t.Errorf("got %q", got.text)
			}
			if got = say(t, url, name, &h, "more"); got.text != "I have nothing more to do." {
				t.Errorf("after its end: %q", got.text)
			}
		})
	}
	g.Wait()
}

// A result that was compacted away leaves a conversation going.
func TestCastWithoutResults(t *testing.T) {
	cast := NewCast(func(c *Conversation) {
		out := c.Use(ToolUse{Name: "Bash"})
		c.End("result " + out[0].Text)
	}, nil)
	defer cast.Close()
	_, url := start(t, cast)
	var h []object
	say(t, url, "", &h, "go")
	if got := say(t, url, "", &h, "a summary"); got.text != "result " {
		t.Errorf("got %q", got.text)
	}
}
