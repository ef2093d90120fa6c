package report_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tab is a page in a headless Chromium that this test started, driven over two pipes
// by the DevTools protocol. It has no network.
type tab struct {
	t       *testing.T
	out     *os.File
	answers chan message
	last    int
	session string
	heard   []message // events
}

// message is an answer or an event of the protocol.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// object is what a call of the protocol takes.
type object map[string]any

// chromium returns the browser's program, or skips the test where there is none.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("skipped: there is no chromium, chromium-browser or google-chrome on PATH to show the page in")
	return ""
}

// browse opens a browser with an empty profile and one tab, and ends it with the test.
func browse(t *testing.T) *tab {
	t.Helper()
	args := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
	}
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	c := exec.Command(chromium(t), append(args, "about:blank")...)
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	c.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &tab{t: t, out: in, answers: make(chan message, 64)}
	go func() {
		defer close(b.answers)
		r := bufio.NewReader(out)
		for {
			text, err := r.ReadBytes(0)
			if err != nil {
				return
			}
			var m message
			if json.Unmarshal(text[:len(text)-1], &m) == nil {
				b.answers <- m
			}
		}
	}()
	t.Cleanup(func() {
		b.session = ""
		b.last++
		fmt.Fprintf(in, `{"id":%d,"method":"Browser.close"}`+"\x00", b.last)
		gone := make(chan struct{})
		go func() { _ = c.Wait(); close(gone) }()
		for {
			select {
			case <-b.answers:
				continue
			case <-gone:
			case <-time.After(10 * time.Second):
				_ = c.Process.Kill()
				<-gone
			}
			break
		}
		in.Close()
		out.Close()
	})
	b.attach()
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// attach takes hold of the tab and listens to all that it says and asks for.
func (b *tab) attach() {
	b.t.Helper()
	var created struct{ TargetID, SessionID string }
	b.into(&created, "Target.createTarget", object{"url": "about:blank"})
	b.into(&created, "Target.attachToTarget", object{"targetId": created.TargetID, "flatten": true})
	b.session = created.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "DOM"} {
		b.call(domain+".enable", nil)
	}
	b.call("Network.emulateNetworkConditions", object{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
}

// of returns the same tab for a subtest.
func (b *tab) of(t *testing.T) *tab {
	b.t = t
	return b
}

// call asks for something and waits for the answer.
func (b *tab) call(method string, params object) json.RawMessage {
	b.t.Helper()
	b.last++
	ask := object{"id": b.last, "method": method}
	if params != nil {
		ask["params"] = params
	}
	if b.session != "" {
		ask["sessionId"] = b.session
	}
	text, err := json.Marshal(ask)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		m := b.hear()
		switch {
		case m.ID != b.last:
			continue
		case m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		return m.Result
	}
}

// hear returns the next answer or event, and keeps events.
func (b *tab) hear() message {
	b.t.Helper()
	select {
	case m, open := <-b.answers:
		if !open {
			b.t.Fatal("the browser ended")
		}
		if m.Method != "" {
			b.heard = append(b.heard, m)
		}
		return m
	case <-time.After(time.Minute):
		b.t.Fatal("the browser says nothing for a minute")
	}
	return message{}
}

func (b *tab) into(v any, method string, params object) {
	b.t.Helper()
	if err := json.Unmarshal(b.call(method, params), v); err != nil {
		b.t.Fatal(err)
	}
}

// open shows a page and returns when it is loaded.
func (b *tab) open(page []byte) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(path, page, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.heard = nil
	b.call("Page.navigate", object{"url": "file://" + path})
	for len(b.said("Page.loadEventFired")) == 0 {
		b.hear()
	}
	return "file://" + path
}

// said returns what the events of a method hold.
func (b *tab) said(method string) []string {
	var out []string
	for _, m := range b.heard {
		if m.Method == method {
			out = append(out, string(m.Params))
		}
	}
	return out
}

// eval computes an expression in the page.
func (b *tab) eval(v any, expression string) {
	b.t.Helper()
	var got struct {
		Result struct{ Value json.RawMessage }
		Error  json.RawMessage `json:"exceptionDetails"`
	}
	b.into(&got, "Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if got.Error != nil {
		b.t.Fatalf("%s: %s", strings.TrimSpace(expression), got.Error)
	}
	if v != nil {
		if err := json.Unmarshal(got.Result.Value, v); err != nil {
			b.t.Fatalf("%s: %v: %s", expression, err, got.Result.Value)
		}
	}
}

// key presses a key.
func (b *tab) key(name string, code int, text string) {
	b.t.Helper()
	for _, typ := range []string{"keyDown", "keyUp"} {
		p := object{"type": typ, "key": name, "code": name, "windowsVirtualKeyCode": code}
		if typ == "keyDown" && text != "" {
			p["text"] = text
		}
		b.call("Input.dispatchKeyEvent", p)
	}
}

// look sets the size of the window and what the reader prefers.
func (b *tab) look(width, height int, scheme, media string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	b.call("Emulation.setEmulatedMedia", object{"media": media, "features": []object{{"name": "prefers-color-scheme", "value": scheme}}})
}

// shot returns a picture of what is in the window.
func (b *tab) shot() []byte {
	b.t.Helper()
	var got struct{ Data []byte }
	b.into(&got, "Page.captureScreenshot", object{"format": "png"})
	return got.Data
}
