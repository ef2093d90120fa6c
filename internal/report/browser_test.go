package report_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/report"
)

// htmlOf is the page of the whole delivery.
func htmlOf(t *testing.T, x texts) []byte {
	t.Helper()
	s := newStory(t)
	s.opened(x)
	s.retrying(x)
	s.finished(x)
	s.ended()
	in := s.input()
	return render(t, func(b *bytes.Buffer) error { return report.Report(b, report.HTML, in) })
}

// TestPageInBrowser shows the page in a real browser without a network.
func TestPageInBrowser(t *testing.T) {
	b := browse(t)
	page := htmlOf(t, plain())
	t.Run("holds everything", func(t *testing.T) { holdsEverything(t, b.of(t), page) })
	t.Run("asks for nothing", func(t *testing.T) { asksForNothing(t, b.of(t), page) })
	t.Run("keyboard", func(t *testing.T) { keyboardAlone(t, b.of(t), page) })
	t.Run("links open records", func(t *testing.T) { linksOpenRecords(t, b.of(t), page) })
	t.Run("light and dark", func(t *testing.T) { lightAndDark(t, b.of(t), page) })
	t.Run("phone", func(t *testing.T) { onAPhone(t, b.of(t), page) })
	t.Run("paper", func(t *testing.T) { onPaper(t, b.of(t), page) })
	t.Run("hostile", func(t *testing.T) { hostileInBrowser(t, b.of(t)) })
}

func holdsEverything(t *testing.T, b *tab, page []byte) {
	b.look(1120, 900, "light", "")
	b.open(page)
	var got struct {
		Headings                                               []string
		Visits, Failed, Nodes, Arcs, Records, Criteria, Output int
		Changed, Approvals, Let                                int
		Unnamed                                                []string
	}
	b.eval(&got, `({
		headings: [...document.querySelectorAll("h1, h2")].map(h => h.textContent),
		visits: document.querySelectorAll(".time > li").length,
		failed: document.querySelectorAll(".time > li.bad").length,
		nodes: document.querySelectorAll("svg text.name").length,
		arcs: document.querySelectorAll("svg .arc.bad").length,
		records: document.querySelectorAll(".records > details").length,
		output: document.querySelectorAll(".records pre").length,
		criteria: document.querySelectorAll("#criteria ~ .wide:first-of-type tbody tr").length,
		changed: document.querySelectorAll("#changes ~ .wide tbody tr").length,
		approvals: document.querySelectorAll("#approvals ~ ul > li").length,
		let: document.querySelectorAll(".alert li").length,
		unnamed: [...document.querySelectorAll("th:not([scope]), section:not([aria-labelledby]), [role=region]:not([aria-label])")].map(e => e.outerHTML.slice(0, 80)),
	})`)
	want := []string{
		"REF-7: refunds over the remaining amount are refused", "Let through by a human", "Path through the graph", "Acceptance criteria and evidence", "Approvals",
		"Plan", "Evidence", "Findings", "Asks and answers", "Changes and scope", "Conditions of done", "Calls and tokens",
	}
	if d := cmp.Diff(want, got.Headings); d != "" {
		t.Errorf("headings (-want +got):\n%s", d)
	}
	if got.Visits != 15 || got.Failed != 1 || got.Nodes != 14 || got.Arcs != 1 || got.Records != 18 || got.Output != 5 || got.Criteria != 3 ||
		got.Changed != 3 || got.Approvals != 2 || got.Let != 1 || len(got.Unnamed) != 0 {
		t.Errorf("the page holds %+v", got)
	}
}

func asksForNothing(t *testing.T, b *tab, page []byte) {
	quiet := func(page []byte) []string {
		address := b.open(page)
		var out []string
		for _, method := range []string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Network.requestWillBeSent", "Page.javascriptDialogOpening"} {
			for _, said := range b.said(method) {
				if method != "Network.requestWillBeSent" || !strings.Contains(said, `"url":"`+address+`"`) {
					out = append(out, method+" "+said)
				}
			}
		}
		return out
	}
	if said := quiet(page); len(said) > 0 {
		t.Errorf("the page is not quiet: %s", strings.Join(said, "\n"))
	}
	// The same page with an image and a script would be heard.
	loud := bytes.Replace(page, []byte("<main"), []byte(`<img src="https://192.0.2.1/x.png" alt=""><script>console.log(1)</script><main`), 1)
	if said := quiet(loud); len(said) < 2 {
		t.Errorf("an image and a script are not heard: %q", said)
	}
}

const focusable = `a[href], summary, [tabindex="0"]`

// keyboardAlone goes through the page with Tab, and opens each record with Enter.
func keyboardAlone(t *testing.T, b *tab, page []byte) {
	b.look(1120, 900, "light", "")
	b.open(page)
	var all []string
	b.eval(&all, `(() => {
		const all = [...document.querySelectorAll('`+focusable+`')].filter(e => e.checkVisibility({contentVisibilityAuto: true}) && !e.closest("details:not([open]) > div"));
		all.forEach((e, i) => e.dataset.at = i);
		return all.map(e => e.tagName + " " + (e.getAttribute("href") || e.getAttribute("aria-label") || e.textContent.slice(0, 20)));
	})()`)
	if len(all) < 60 {
		t.Fatalf("only %d places to go to", len(all))
	}
	type place struct {
		At      string
		Record  bool
		Open    bool
		Outline string
		InView  bool
	}
	here := func() (p place) {
		b.eval(&p, `(() => { const e = document.activeElement, r = e.getBoundingClientRect(); return {
			at: e.dataset.at || "", record: e.matches(".records > details > summary"), open: !!e.parentElement && e.parentElement.open === true,
			outline: getComputedStyle(e).outlineStyle + " " + getComputedStyle(e).outlineWidth, inView: r.bottom > 0 && r.top < innerHeight}; })()`)
		return p
	}
	opened := 0
	for i, what := range all {
		b.key("Tab", 9, "")
		p := here()
		if p.At != fmt.Sprint(i) {
			t.Fatalf("Tab %d goes to %q, not to %q", i, p.At, what)
		}
		if p.Outline == "none 0px" || strings.HasPrefix(p.Outline, "none") || !p.InView {
			t.Errorf("focus cannot be seen on %s: %+v", what, p)
		}
		if p.Record {
			b.key("Enter", 13, "\r")
			if !here().Open {
				t.Errorf("Enter does not open %s", what)
			}
			b.key("Enter", 13, "\r")
			if here().Open {
				t.Errorf("Enter does not close %s", what)
			}
			opened++
		}
	}
	if opened != 18 {
		t.Errorf("%d records were opened", opened)
	}
	b.key("Tab", 9, "")
	if p := here(); p.At == fmt.Sprint(len(all)-1) {
		t.Error("the focus does not leave the last place")
	}
	b.open(page)
	b.key("Tab", 9, "")
	b.key("Enter", 13, "\r")
	var at string
	if b.eval(&at, `document.activeElement.id`); at != "report" {
		t.Errorf("the skip link goes to %q", at)
	}
}

// linksOpenRecords follows a reference to a record that is folded.
func linksOpenRecords(t *testing.T, b *tab, page []byte) {
	b.look(1120, 900, "light", "")
	b.open(page)
	b.eval(nil, `document.querySelector('.time a[href="#E8"]').focus()`)
	b.key("Enter", 13, "\r")
	var got struct {
		Open, Seen, Output bool
		Others             int
	}
	b.eval(&got, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => { const e = document.getElementById("E8"), r = e.parentElement.querySelector("summary").getBoundingClientRect(); done({
		open: e.parentElement.open, seen: r.top >= 0 && r.bottom <= innerHeight, output: e.querySelector("pre").checkVisibility({contentVisibilityAuto: true}),
		others: document.querySelectorAll(".records > details[open]").length}); })))`)
	if !got.Open || !got.Seen || !got.Output || got.Others != 1 {
		t.Errorf("the link to E8 leads to %+v", got)
	}
}

// contrasts returns the texts whose contrast with what is behind them is below 4.5,
// as WCAG computes it.
const contrasts = `(() => {
	document.querySelectorAll("details").forEach(d => d.open = true);
	const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return {r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1}; };
	const lum = c => { const f = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; return .2126 * f(c.r) + .7152 * f(c.g) + .0722 * f(c.b); };
	const behind = e => {
		if (e.closest("svg")) {
			for (let g = e.closest("g"); g; g = g.parentElement.closest("g")) {
				const box = [...g.children].find(c => c.matches("rect.box"));
				if (box) return parse(getComputedStyle(box).fill);
			}
			e = e.closest("svg");
		}
		for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a === 1) return c; if (c.a > 0) throw new Error("half transparent: " + e.outerHTML.slice(0, 80)); }
		throw new Error("nothing is behind it");
	};
	const low = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let seen = 0, worst = 21;
	for (let n; n = walk.nextNode();) {
		const e = n.parentElement;
		if (!n.textContent.trim() || e.matches("title, desc") || !e.checkVisibility()) continue;
		const style = getComputedStyle(e), fg = parse(e.closest("svg") ? style.fill : style.color), bg = behind(e);
		const [x, y] = [lum(fg), lum(bg)].sort((a, b) => b - a), ratio = (x + .05) / (y + .05);
		seen++;
		worst = Math.min(worst, ratio);
		if (ratio < 4.5 || fg.a < 1) low.push(ratio.toFixed(2) + " " + n.textContent.trim().slice(0, 40));
	}
	return {seen, worst, low, scheme: getComputedStyle(document.body).backgroundColor};
})()`

func lightAndDark(t *testing.T, b *tab, page []byte) {
	bright := map[string]float64{}
	for _, scheme := range []string{"light", "dark"} {
		b.look(1120, 900, scheme, "")
		b.open(page)
		bright[scheme] = brightness(t, b.shot())
		var got struct {
			Seen   int
			Worst  float64
			Low    []string
			Scheme string
		}
		b.eval(&got, contrasts)
		if got.Seen < 400 || len(got.Low) > 0 {
			t.Errorf("%s: %d texts, contrast too low in %q", scheme, got.Seen, got.Low)
		}
		t.Logf("%s on %s: %d texts, the lowest contrast is %.2f", scheme, got.Scheme, got.Seen, got.Worst)
	}
	if bright["light"] < 0.8 || bright["dark"] > 0.3 {
		t.Errorf("light and dark look alike: %v", bright)
	}
}

// brightness is the mean of a picture, 1 for white.
func brightness(t *testing.T, shot []byte) float64 {
	t.Helper()
	p, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y += 4 {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x += 4 {
			r, g, b, _ := p.At(x, y).RGBA()
			sum += float64(r+g+b) / 3 / 0xffff
			n++
		}
	}
	return sum / n
}

func onAPhone(t *testing.T, b *tab, page []byte) {
	b.look(390, 844, "light", "")
	b.open(page)
	var got struct {
		Width float64
		Scale float64
		Small []string
		Out   []string
	}
	b.eval(&got, `(() => {
		document.querySelectorAll("details").forEach(d => d.open = true);
		const svg = document.querySelector("svg");
		return {
			width: document.documentElement.scrollWidth,
			scale: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
			small: [...document.querySelectorAll("body *")].filter(e => parseFloat(getComputedStyle(e).fontSize) < 11).map(e => e.tagName),
			out: [...document.querySelectorAll("main *")].filter(e => !e.closest(".wide, svg") && e.getBoundingClientRect().right > 390.5).map(e => e.outerHTML.slice(0, 80)),
		};
	})()`)
	if got.Width > 390 || got.Scale < 0.99 || len(got.Small) > 0 || len(got.Out) > 0 {
		t.Errorf("at 390 px: %+v", got)
	}
}

// onPaper looks at what is printed: folded records too, and nothing to press.
func onPaper(t *testing.T, b *tab, page []byte) {
	b.look(800, 1100, "dark", "print")
	b.open(page)
	var got struct {
		Folded, Shown int
		Nav           bool
		Paper         string
	}
	b.eval(&got, `(() => {
		const folded = [...document.querySelectorAll(".records > details:not([open]) > div")];
		return {
			folded: folded.length, shown: folded.filter(e => e.checkVisibility({contentVisibilityAuto: true}) && e.getBoundingClientRect().height > 40).length,
			nav: document.querySelector("nav").checkVisibility(), paper: getComputedStyle(document.body).backgroundColor,
		};
	})()`)
	if got.Folded != 18 || got.Shown != 18 || got.Nav || got.Paper != "rgb(255, 255, 255)" {
		t.Errorf("on paper: %+v", got)
	}
}

// hostileInBrowser asks the browser itself whether any text became an element.
func hostileInBrowser(t *testing.T, b *tab) {
	b.look(390, 844, "light", "")
	var all []string
	for _, a := range attacks() {
		all = append(all, a)
	}
	for _, o := range outputs() {
		if len(o) < 1000 {
			all = append(all, o)
		}
	}
	slices.Sort(all)
	attack := strings.ReplaceAll(strings.ToValidUTF8(strings.Join(all, " "), "?"), "\n", " ")
	shape := func(x string) (elements []string) {
		b.open(htmlOf(t, hostile(x)))
		b.eval(&elements, `[...document.querySelectorAll("*")].map(e => e.tagName + " " + [...e.attributes].filter(a => a.name !== "href").map(a => a.name + "=" + a.value).join(" "))`)
		for _, method := range []string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"} {
			if said := b.said(method); len(said) > 0 {
				t.Errorf("%s %s", method, said)
			}
		}
		return elements
	}
	if d := cmp.Diff(shape(strings.Repeat("x ", 200)), shape(attack)); d != "" {
		t.Errorf("a text became an element:\n%s", d)
	}
	var width float64
	if b.eval(&width, `document.documentElement.scrollWidth`); width > 390 {
		t.Errorf("a text makes the page %v px wide on a phone", width)
	}
}

// TestScreenshots writes pictures of a report for the README, when it is asked to.
func TestScreenshots(t *testing.T) {
	page, folder := os.Getenv("ASTERWEAVE_REPORT"), os.Getenv("ASTERWEAVE_SCREENSHOTS")
	if page == "" || folder == "" {
		t.Skip("skipped: make screenshots asks for them")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t)
	for _, scheme := range []string{"light", "dark"} {
		b.look(1120, 1240, scheme, "")
		b.open(text)
		shot := b.shot()
		if _, _, err := image.Decode(bytes.NewReader(shot)); err != nil || len(shot) > 250_000 {
			t.Fatalf("the %s picture has %d bytes: %v", scheme, len(shot), err)
		}
		if err := os.WriteFile(filepath.Join(folder, "report-"+scheme+".png"), shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
