package command

import (
	"bytes"
	"fmt"
	"io"
)

// keeper keeps the head and the tail of a stream in memory that does not grow with
// the stream, and passes everything on.
type keeper struct {
	stream io.Writer
	half   int64 // most bytes of the head, and of the tail
	head   []byte
	tail   []byte // ring once it is full
	next   int    // where the ring goes on
	total  int64
}

func newKeeper(limit int64, stream io.Writer) *keeper {
	if limit <= 0 {
		limit = DefaultCap
	}
	return &keeper{stream: stream, half: max(limit/2, 1)}
}

// readFrom reads to the end of r. A stream that fails gets nothing more; the
// command goes on.
func (k *keeper) readFrom(r io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			k.add(buf[:n])
			if k.stream != nil {
				if _, werr := k.stream.Write(buf[:n]); werr != nil {
					k.stream = nil
				}
			}
		}
		if err != nil {
			return
		}
	}
}

func (k *keeper) add(p []byte) {
	k.total += int64(len(p))
	if room := k.half - int64(len(k.head)); room > 0 {
		n := min(room, int64(len(p)))
		k.head = append(k.head, p[:n]...)
		p = p[n:]
	}
	if room := k.half - int64(len(k.tail)); room > 0 {
		n := min(room, int64(len(p)))
		k.tail = append(k.tail, p[:n]...)
		p = p[n:]
	}
	if over := int64(len(p)) - k.half; over > 0 {
		k.next = int((int64(k.next) + over) % k.half)
		p = p[over:]
	}
	for len(p) > 0 {
		n := copy(k.tail[k.next:], p)
		k.next = (k.next + n) % len(k.tail)
		p = p[n:]
	}
}

// bytes returns what was kept, with a line that states the cut, and how many bytes
// there were.
func (k *keeper) bytes() ([]byte, int64) {
	cut := k.total - int64(len(k.head)) - int64(len(k.tail))
	var b bytes.Buffer
	b.Write(k.head)
	if cut > 0 {
		fmt.Fprintf(&b, "\n[… %d bytes of output left out …]\n", cut)
	}
	b.Write(k.tail[k.next:])
	b.Write(k.tail[:k.next])
	return b.Bytes(), k.total
}
