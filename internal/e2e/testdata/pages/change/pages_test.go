package pages

import "testing"

func TestCount(t *testing.T) {
	for _, c := range []struct{ items, size, want int }{
		{0, 10, 0},
		{20, 10, 2},
		{21, 10, 3},
	} {
		if got := Count(c.items, c.size); got != c.want {
			t.Errorf("Count(%d, %d) is %d, want %d", c.items, c.size, got, c.want)
		}
	}
}
