package recording

import (
	"fmt"
	"strings"
)

// drawn returns the path of a character that no font draws as well, in a cell of w by h
// whose corner is (x, y): lines of frames and blocks, since fonts leave gaps between
// them, and signs that many fonts do not have. Lines are stroked, the others are filled.
func drawn(text string, x, y, w, h float64) (path string, filled, ok bool) {
	if arms, ok := frames(text); ok {
		cx, cy := x+w/2, y+h/2
		var b strings.Builder
		for _, a := range []struct {
			there  bool
			tx, ty float64
		}{{arms.up, cx, y}, {arms.left, x, cy}, {arms.right, x + w, cy}, {arms.down, cx, y + h}} {
			if a.there {
				fmt.Fprintf(&b, "M%s %sL%s %s", num(cx), num(cy), num(a.tx), num(a.ty))
			}
		}
		return b.String(), false, true
	}
	if c, ok := corners(text); ok {
		cx, cy, r := x+w/2, y+h/2, w/2
		tx, ty := x, y
		if c.right {
			tx = x + w
		}
		sy := -1.0
		if c.down {
			ty, sy = y+h, 1
		}
		return fmt.Sprintf("M%s %sL%s %sQ%s %s %s %s", num(cx), num(ty), num(cx), num(cy+sy*r), num(cx), num(cy), num(tx), num(cy)), false, true
	}
	switch text {
	case "⎿":
		return fmt.Sprintf("M%s %sV%sH%s", num(x+w*.4), num(y+h*.15), num(y+h*.55), num(x+w)), false, true
	case "⏵":
		return fmt.Sprintf("M%s %sL%s %sL%s %sz", num(x+w*.1), num(y+h*.28), num(x+w*.95), num(y+h*.53), num(x+w*.1), num(y+h*.78)), true, true
	}
	if rects, ok := blocks(text); ok {
		var b strings.Builder
		for _, r := range rects {
			fmt.Fprintf(&b, "M%s %sh%sv%sh-%sz", num(x+r.x*w), num(y+r.y*h), num(r.w*w), num(r.h*h), num(r.w*w))
		}
		return b.String(), true, true
	}
	return "", false, false
}

// arms says to which sides of its cell a line leads.
type arms struct{ up, right, down, left bool }

func frames(text string) (arms, bool) {
	switch text {
	case "─", "━", "╌", "┄":
		return arms{left: true, right: true}, true
	case "│", "┃", "╎", "┆":
		return arms{up: true, down: true}, true
	case "┌":
		return arms{right: true, down: true}, true
	case "┐":
		return arms{down: true, left: true}, true
	case "└":
		return arms{up: true, right: true}, true
	case "┘":
		return arms{up: true, left: true}, true
	case "├":
		return arms{up: true, right: true, down: true}, true
	case "┤":
		return arms{up: true, down: true, left: true}, true
	case "┬":
		return arms{right: true, down: true, left: true}, true
	case "┴":
		return arms{up: true, right: true, left: true}, true
	case "┼":
		return arms{up: true, right: true, down: true, left: true}, true
	}
	return arms{}, false
}

// corners are the round ones: to the right or left, and down or up.
func corners(text string) (arms, bool) {
	switch text {
	case "╭":
		return arms{right: true, down: true}, true
	case "╮":
		return arms{left: true, down: true}, true
	case "╰":
		return arms{right: true, up: true}, true
	case "╯":
		return arms{left: true, up: true}, true
	}
	return arms{}, false
}

// rect is a part of a cell, in parts of its sides.
type rect struct{ x, y, w, h float64 }

func blocks(text string) ([]rect, bool) {
	quadrant := [...]rect{{0, 0, .5, .5}, {.5, 0, .5, .5}, {0, .5, .5, .5}, {.5, .5, .5, .5}}
	upperLeft, upperRight, lowerLeft, lowerRight := quadrant[0], quadrant[1], quadrant[2], quadrant[3]
	upper, lower, left, right := rect{0, 0, 1, .5}, rect{0, .5, 1, .5}, rect{0, 0, .5, 1}, rect{.5, 0, .5, 1}
	switch text {
	case "█":
		return []rect{{0, 0, 1, 1}}, true
	case "▀":
		return []rect{upper}, true
	case "▄":
		return []rect{lower}, true
	case "▌":
		return []rect{left}, true
	case "▐":
		return []rect{right}, true
	case "▔":
		return []rect{{0, 0, 1, .125}}, true
	case "▁":
		return []rect{{0, .875, 1, .125}}, true
	case "▎":
		return []rect{{0, 0, .25, 1}}, true
	case "▘":
		return []rect{upperLeft}, true
	case "▝":
		return []rect{upperRight}, true
	case "▖":
		return []rect{lowerLeft}, true
	case "▗":
		return []rect{lowerRight}, true
	case "▛":
		return []rect{upper, lowerLeft}, true
	case "▜":
		return []rect{upper, lowerRight}, true
	case "▙":
		return []rect{left, lowerRight}, true
	case "▟":
		return []rect{right, lowerLeft}, true
	case "▚":
		return []rect{upperLeft, lowerRight}, true
	case "▞":
		return []rect{upperRight, lowerLeft}, true
	}
	return nil, false
}
