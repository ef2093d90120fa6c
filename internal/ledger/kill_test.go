package ledger_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
)

// childEnv makes this test binary a writer: "folder|anchor|worker|first|last".
const childEnv = "ASTERWEAVE_LEDGER_TEST_CHILD"

// mortalEnv lets a child die in the middle of a write now and then.
const mortalEnv = "ASTERWEAVE_LEDGER_TEST_MORTAL"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		os.Exit(child(job))
	}
	os.Exit(m.Run())
}

// child appends events under its own lock each, as processes do, and says "ack i"
// once an append has returned.
func child(job string) int {
	f := strings.Split(job, "|")
	first, err1 := strconv.Atoi(f[3])
	last, err2 := strconv.Atoi(f[4])
	if err1 != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, err1, err2)
		return 64
	}
	l := ledger.Open(f[0], ledger.Options{Anchor: f[1], LockTimeout: time.Minute, FS: mortal{durable.OS()}})
	for i := first; i <= last; i++ {
		if err := appendOne(l, f[2], i); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("ack", i)
	}
	return 0
}

// mortal is a file system under which the process dies now and then in the middle
// of a write, as kill -9 hits it only rarely.
type mortal struct{ durable.FS }

func (m mortal) OpenFile(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := m.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return mortalFile{f}, nil
}

type mortalFile struct{ durable.File }

func (m mortalFile) WriteAt(b []byte, off int64) (int, error) {
	if os.Getenv(mortalEnv) == "" || rand.IntN(200) > 0 {
		return m.File.WriteAt(b, off)
	}
	if n, err := m.File.WriteAt(b[:rand.IntN(len(b)+1)], off); err != nil {
		return n, err
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	time.Sleep(time.Minute) // until the kill arrives
	return 0, err
}

func appendOne(l *ledger.Log, worker string, i int) error {
	w, err := l.Lock(context.Background())
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = w.Append(ledger.Draft{
		Type: "recorded", By: evidence.By{Channel: "agent"}, At: time.Now(),
		Data: json.RawMessage(childData(worker, i)),
	}, true)
	return err
}

func childData(worker string, i int) string {
	return fmt.Sprintf(`{"worker":%q,"i":%d,"pad":%q}`, worker, i, strings.Repeat("x", i*37%6000))
}

// killsEach is how many children of a worker are killed from outside.
const killsEach = 5

// worker runs children one after the other until all of its events are
// acknowledged, and kills the first few at random moments. It returns how many
// were killed.
func worker(p place, name string, events int, r *rand.Rand) (kills int, err error) {
	acked := 0
	for acked < events {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1", mortalEnv+"=1", fmt.Sprintf("%s=%s|%s|%s|%d|%d", childEnv, p.dir, p.anchor, name, acked+1, events))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return kills, err
		}
		if err := cmd.Start(); err != nil {
			return kills, err
		}
		wait := time.Duration(20+r.IntN(500)) * time.Millisecond
		if kills >= killsEach {
			wait = time.Hour
		}
		killer := time.AfterFunc(wait, func() {
			_ = cmd.Process.Kill() // it may have ended by itself
		})
		for s := bufio.NewScanner(out); s.Scan(); {
			n, err := strconv.Atoi(strings.TrimPrefix(s.Text(), "ack "))
			if err != nil || n != acked+1 {
				return kills, fmt.Errorf("worker %s said %q after %d", name, s.Text(), acked)
			}
			acked = n
		}
		err = cmd.Wait()
		killer.Stop()
		if err != nil && stderr.Len() > 0 {
			return kills, fmt.Errorf("worker %s: %w: %s", name, err, stderr.String())
		}
		if err != nil {
			kills++
		}
	}
	return kills, nil
}

// TestNothingAcknowledgedIsLost lets 20 processes append 200 events each and kills
// them all the time, some in the middle of a write.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	workers, events := 20, 200
	if testing.Short() {
		workers, events = 5, 40
	}
	p := newPlace(t)
	started := time.Now()
	var wg sync.WaitGroup
	kills := make([]int, workers)
	for i := range workers {
		wg.Go(func() {
			n, err := worker(p, fmt.Sprint("w", i), events, rand.New(rand.NewPCG(uint64(i), 7)))
			if err != nil {
				t.Error(err)
			}
			kills[i] = n
		})
	}
	wg.Wait()
	total := 0
	for _, n := range kills {
		total += n
	}
	if r := p.audit(t); r.Damaged() {
		t.Errorf("damaged: %+v", r)
	}
	w := lock(t, p.log()) // repairs what the last kill may have torn
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := p.audit(t)
	if !r.Clean() {
		t.Errorf("audit %+v", r)
	}
	found := map[string]int{}
	var recovered int
	err := p.log().Scan(0, func(e ledger.Event, _ int64) error {
		if e.Type == ledger.Recovered {
			recovered++
			return nil
		}
		var d struct {
			Worker string
			I      int
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		found[fmt.Sprint(d.Worker, "/", d.I)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for i := range workers {
		for n := 1; n <= events; n++ {
			if found[fmt.Sprint("w", i, "/", n)] == 0 {
				lost++
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d acknowledged events are lost", lost)
	}
	t.Logf("%d events of %d writers with %d kills in %v: %d lost, %d tails recovered",
		r.Events, workers, total, time.Since(started).Round(time.Millisecond), lost, recovered)
	if total == 0 {
		t.Error("nobody was killed")
	}
}
