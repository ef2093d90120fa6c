package github

// Kinds of entries.
const (
	checkRun      = "run"
	statusContext = "status"
)

// entry is a check run or a commit status, as it was reported for one commit.
// Status and Conclusion are in the words of GraphQL, upper case.
type entry struct {
	Commit      string `json:"commit"`
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	ID          int64  `json:"id,omitempty"`
	App         int64  `json:"app,omitempty"` // 0 for a status and where it was not told
	AppSlug     string `json:"appSlug,omitempty"`
	Suite       int64  `json:"suite,omitempty"`
	WorkflowRun int64  `json:"workflowRun,omitempty"`
	Workflow    string `json:"workflow,omitempty"`
	WorkflowID  int64  `json:"workflowId,omitempty"`
	Event       string `json:"event,omitempty"`
	Status      string `json:"status,omitempty"` // of a run
	Conclusion  string `json:"conclusion,omitempty"`
	State       string `json:"state,omitempty"` // of a status
	By          string `json:"by,omitempty"`    // who reported a status
	Required    bool   `json:"required,omitempty"`
	URL         string `json:"url,omitempty"`
}

// bucket is what an entry means for a requirement, from best to worst.
type bucket int

const (
	good         bucket = iota
	notRun              // GitHub lets it merge, and nothing ran
	pending             // not finished
	missing             // never reported
	wrongSource         // reported, but not by the App that it has to come from
	inconsistent        // contradicts itself
	odd                 // in a word that is not known
	failed
)

func (b bucket) String() string {
	return [...]string{"good", "skipped", "pending", "missing", "wrong source", "inconsistent", "unknown", "failed"}[b]
}

// MarshalText makes a bucket readable in the artifact.
func (b bucket) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// done reports whether a run has ended, as far as it says.
func (e entry) done() bool { return e.Kind == statusContext || e.Status == "COMPLETED" }

// bucket reads the entry's own words. Those that are not known are never good.
func (e entry) bucket() bucket {
	if e.Kind == statusContext {
		switch e.State {
		case "SUCCESS":
			return good
		case "PENDING", "EXPECTED":
			return pending
		case "ERROR", "FAILURE":
			return failed
		}
		return odd
	}
	switch e.Status {
	case "QUEUED", "IN_PROGRESS", "WAITING", "REQUESTED", "PENDING":
		if e.Conclusion != "" {
			return inconsistent
		}
		return pending
	case "COMPLETED":
	default:
		return odd
	}
	switch e.Conclusion {
	case "SUCCESS":
		return good
	case "NEUTRAL", "SKIPPED":
		return notRun
	case "FAILURE", "TIMED_OUT", "ACTION_REQUIRED", "CANCELLED", "STARTUP_FAILURE", "STALE":
		return failed
	}
	return odd
}

// word is the entry's own word for how it stands.
func (e entry) word() string {
	switch {
	case e.Kind == statusContext:
		return e.State
	case e.Conclusion != "" && e.done():
		return e.Conclusion
	case e.Conclusion != "":
		return e.Status + " with " + e.Conclusion
	}
	return e.Status
}

// group is what two runs share when the newer one takes the older one's place. A run
// of another workflow, App or event never does, and neither does a status.
type group struct {
	commit, kind, name, workflow, event string
	app, workflowID                     int64
}

func (e entry) group() group {
	return group{commit: e.Commit, kind: e.Kind, name: e.Name, workflow: e.Workflow, event: e.Event, app: e.App, workflowID: e.WorkflowID}
}

// newer reports whether e takes o's place. A run that has not ended is always the newest:
// a queued one has no start, and ends say nothing about order.
func (e entry) newer(o entry) bool {
	if e.done() != o.done() {
		return !e.done()
	}
	if e.WorkflowRun != o.WorkflowRun {
		return e.WorkflowRun > o.WorkflowRun
	}
	return e.ID > o.ID
}

// newest keeps one entry of each group, in the order in which the groups came.
func newest(entries []entry) []entry {
	at := map[group]int{}
	var kept []entry
	for _, e := range entries {
		i, known := at[e.group()]
		switch {
		case !known:
			at[e.group()] = len(kept)
			kept = append(kept, e)
		case e.newer(kept[i]):
			kept[i] = e
		}
	}
	return kept
}
