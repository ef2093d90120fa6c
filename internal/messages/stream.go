package messages

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// piece is how much of a text goes into one delta, in bytes; small enough that tests
// meet texts that come in several.
const piece = 200

// answer is a reply with what the wire needs besides.
type answer struct {
	id    string
	model string
	in    int // tokens of the request
	reply Reply
}

// object is a JSON object.
type object = map[string]any

func (a answer) stopReason() string {
	if len(a.reply.Uses) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (a answer) out() int {
	n := tokens(len(a.reply.Text))
	for _, u := range a.reply.Uses {
		n += tokens(len(u.Name)) + 1
	}
	return n
}

// message is the answer to a request that wants it in one piece.
func (a answer) message() object {
	content := []object{}
	if a.reply.Text != "" {
		content = append(content, object{"type": "text", "text": a.reply.Text})
	}
	for _, u := range a.reply.Uses {
		content = append(content, object{"type": "tool_use", "id": u.ID, "name": u.Name, "input": u.Input})
	}
	return object{
		"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": a.stopReason(), "stop_sequence": nil, "usage": usage(a.in, a.out()),
	}
}

func usage(in, out int) object {
	return object{"input_tokens": in, "output_tokens": out, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
}

// stream writes events of the server-sent kind. After the first error it writes
// nothing more.
type stream struct {
	w     io.Writer
	flush func()
	err   error
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, flush: func() {}}
	if f, ok := w.(http.Flusher); ok {
		s.flush = f.Flush
	}
	return s
}

func (s *stream) event(name string, data object) {
	if s.err != nil {
		return
	}
	data["type"] = name
	var text []byte
	if text, s.err = json.Marshal(data); s.err != nil {
		return
	}
	if _, s.err = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", name, text); s.err == nil {
		s.flush()
	}
}

// begin opens the message.
func (s *stream) begin(a answer) {
	s.event("message_start", object{"message": object{
		"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": []object{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage(a.in, 1),
	}})
	s.event("ping", object{})
}

// block writes one content block: its frame, and its content piece by piece.
func (s *stream) block(i int, start object, kind, field, text string) {
	s.event("content_block_start", object{"index": i, "content_block": start})
	for part := range pieces(text) {
		s.event("content_block_delta", object{"index": i, "delta": object{"type": kind, field: part}})
	}
	s.event("content_block_stop", object{"index": i})
}

// write writes the whole answer.
func (s *stream) write(a answer) error {
	s.begin(a)
	i := 0
	if a.reply.Text != "" {
		s.block(i, object{"type": "text", "text": ""}, "text_delta", "text", a.reply.Text)
		i++
	}
	for _, u := range a.reply.Uses {
		input, err := json.Marshal(u.Input)
		if err != nil {
			return fmt.Errorf("input of %s: %w", u.Name, err)
		}
		s.block(i, object{"type": "tool_use", "id": u.ID, "name": u.Name, "input": object{}}, "input_json_delta", "partial_json", string(input))
		i++
	}
	s.event("message_delta", object{"delta": object{"stop_reason": a.stopReason(), "stop_sequence": nil}, "usage": object{"output_tokens": a.out()}})
	s.event("message_stop", object{})
	return s.err
}

// pieces cuts a text between characters.
func pieces(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := range text {
			if i-start >= piece {
				if !yield(text[start:i]) {
					return
				}
				start = i
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

// tokens guesses how many there are in so many bytes.
func tokens(length int) int { return length/4 + 1 }
