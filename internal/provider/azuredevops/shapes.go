package azuredevops

import "strings"

// The shapes below have those fields of the service's answers that a verdict is made
// of. A pointer is a field whose absence means something else than its zero value.

type identity struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	UniqueName  string `json:"uniqueName"`
	Descriptor  string `json:"descriptor"`
	IsContainer bool   `json:"isContainer"`
}

// name is what people know the identity by.
func (i identity) name() string {
	for _, s := range []string{i.UniqueName, i.DisplayName, i.ID} {
		if s != "" {
			return s
		}
	}
	return "somebody"
}

// isService reports whether it is an account of a pipeline or of the service itself.
func (i identity) isService() bool {
	return strings.HasPrefix(i.Descriptor, "svc.") || strings.HasPrefix(i.UniqueName, `Build\`) || strings.HasPrefix(i.UniqueName, `AgentPool\`) ||
		strings.HasPrefix(i.DisplayName, "Microsoft.VisualStudio.Services.") || strings.Contains(i.DisplayName, "Build Service (")
}

type project struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type repository struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	WebURL  string      `json:"webUrl"`
	Project project     `json:"project"`
	IsFork  bool        `json:"isFork"`
	Parent  *repository `json:"parentRepository"`
}

func (r repository) check() error {
	if !isGUID(r.ID) || !isGUID(r.Project.ID) {
		return shape("a repository without the ids of itself and its project")
	}
	return nil
}

type commitRef struct {
	CommitID string `json:"commitId"`
}

type pullRequest struct {
	Repository            repository  `json:"repository"`
	ID                    int         `json:"pullRequestId"`
	Status                string      `json:"status"`
	CreationDate          date        `json:"creationDate"`
	SourceRefName         string      `json:"sourceRefName"`
	TargetRefName         string      `json:"targetRefName"`
	MergeStatus           string      `json:"mergeStatus"`
	IsDraft               bool        `json:"isDraft"`
	Description           string      `json:"description"`
	LastMergeSourceCommit *commitRef  `json:"lastMergeSourceCommit"`
	LastMergeCommit       *commitRef  `json:"lastMergeCommit"`
	AutoCompleteSetBy     *identity   `json:"autoCompleteSetBy"`
	ForkSource            *forkSource `json:"forkSource"`
	Reviewers             []reviewer  `json:"reviewers"`
}

type forkSource struct {
	Name       string     `json:"name"`
	Repository repository `json:"repository"`
}

type reviewer struct {
	identity
	Vote       int  `json:"vote"`
	IsRequired bool `json:"isRequired"`
}

// Statuses of a pull request.
const (
	statusActive    = "active"
	statusCompleted = "completed"
	statusAbandoned = "abandoned"
)

func (p pullRequest) check() error {
	switch {
	case p.ID <= 0:
		return shape("a pull request without its number")
	case p.SourceRefName == "" || p.TargetRefName == "":
		return shape("pull request %d without its branches", p.ID)
	case p.Status != statusActive && p.Status != statusCompleted && p.Status != statusAbandoned:
		return shape("pull request %d has the status %.40q", p.ID, p.Status)
	}
	return p.Repository.check()
}

// source is the repository that the source branch is in.
func (p pullRequest) source() repository {
	if p.ForkSource != nil {
		return p.ForkSource.Repository
	}
	return p.Repository
}

func commitOf(r *commitRef) string {
	if r == nil {
		return ""
	}
	return r.CommitID
}

type iteration struct {
	ID              int        `json:"id"`
	SourceRefCommit *commitRef `json:"sourceRefCommit"`
}

type ref struct {
	Name     string `json:"name"`
	ObjectID string `json:"objectId"`
}

type commit struct {
	CommitID string `json:"commitId"`
	TreeID   string `json:"treeId"`
}

type evaluation struct {
	ID            string             `json:"evaluationId"`
	ArtifactID    string             `json:"artifactId"`
	Status        string             `json:"status"`
	Configuration policyConfig       `json:"configuration"`
	Context       *evaluationContext `json:"context"`
}

type policyConfig struct {
	ID         int   `json:"id"`
	IsEnabled  *bool `json:"isEnabled"`
	IsBlocking *bool `json:"isBlocking"`
	IsDeleted  bool  `json:"isDeleted"`
	Type       struct {
		ID          string `json:"id"`
		DisplayName string `json:"displayName"`
	} `json:"type"`
	Settings struct {
		DisplayName        string `json:"displayName"`
		DefaultDisplayName string `json:"defaultDisplayName"`
		ManualQueueOnly    bool   `json:"manualQueueOnly"`
		StatusGenre        string `json:"statusGenre"`
		StatusName         string `json:"statusName"`
	} `json:"settings"`
}

type evaluationContext struct {
	LastMergeSourceCommitID string `json:"lastMergeSourceCommitId"`
	BuildID                 int    `json:"buildId"`
	BuildDefinitionName     string `json:"buildDefinitionName"`
	BuildIsNotCurrent       bool   `json:"buildIsNotCurrent"`
	IsExpired               bool   `json:"isExpired"`
}

type statusContext struct {
	Genre string `json:"genre"`
	Name  string `json:"name"`
}

type status struct {
	ID          int           `json:"id"`
	IterationID int           `json:"iterationId"`
	State       string        `json:"state"`
	Description string        `json:"description"`
	Context     statusContext `json:"context"`
	TargetURL   string        `json:"targetUrl"`
}

type build struct {
	ID            int               `json:"id"`
	Status        string            `json:"status"`
	Result        string            `json:"result"`
	SourceBranch  string            `json:"sourceBranch"`
	SourceVersion string            `json:"sourceVersion"`
	TriggerInfo   map[string]string `json:"triggerInfo"`
	Definition    struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	} `json:"definition"`
}

type thread struct {
	ID            int             `json:"id"`
	Status        string          `json:"status"`
	IsDeleted     bool            `json:"isDeleted"`
	PublishedDate date            `json:"publishedDate"`
	Comments      []threadComment `json:"comments"`
	Context       *struct {
		FilePath       string    `json:"filePath"`
		RightFileStart *position `json:"rightFileStart"`
		LeftFileStart  *position `json:"leftFileStart"`
	} `json:"threadContext"`
	Properties map[string]struct {
		Value any `json:"$value"`
	} `json:"properties"`
}

type position struct {
	Line int `json:"line"`
}

type threadComment struct {
	ID            int      `json:"id"`
	Author        identity `json:"author"`
	Content       string   `json:"content"`
	PublishedDate date     `json:"publishedDate"`
	Type          string   `json:"commentType"`
	IsDeleted     bool     `json:"isDeleted"`
}

type workItemRef struct {
	ID string `json:"id"`
}

type workItem struct {
	ID        int                              `json:"id"`
	Rev       int                              `json:"rev"`
	Fields    map[string]any                   `json:"fields"`
	Relations []relation                       `json:"relations"`
	Links     map[string]struct{ Href string } `json:"_links"`
}

func (w workItem) field(name string) string {
	s, _ := w.Fields[name].(string)
	return s
}

type relation struct {
	Rel        string `json:"rel"`
	URL        string `json:"url"`
	Attributes struct {
		Name string `json:"name"`
	} `json:"attributes"`
}

type workItemState struct {
	Name     string `json:"name"`
	Category string `json:"category"`
}

type itemComment struct {
	ID                int       `json:"id"`
	WorkItemID        int       `json:"workItemId"`
	Version           int       `json:"version"`
	Text              string    `json:"text"`
	Format            string    `json:"format"` // markdown or html; older versions have html alone and do not say so
	CreatedBy         identity  `json:"createdBy"`
	CreatedOnBehalfOf *identity `json:"createdOnBehalfOf"`
	CreatedDate       date      `json:"createdDate"`
	ModifiedBy        *identity `json:"modifiedBy"`
	ModifiedDate      date      `json:"modifiedDate"`
	IsDeleted         bool      `json:"isDeleted"`
}

type itemComments struct {
	TotalCount        *int          `json:"totalCount"`
	Count             int           `json:"count"`
	Comments          []itemComment `json:"comments"`
	ContinuationToken string        `json:"continuationToken"`
}

type push struct {
	PushID   int      `json:"pushId"`
	Date     date     `json:"date"`
	PushedBy identity `json:"pushedBy"`
}

type connection struct {
	AuthenticatedUser struct {
		ID                  string `json:"id"`
		ProviderDisplayName string `json:"providerDisplayName"`
		IsActive            bool   `json:"isActive"`
	} `json:"authenticatedUser"`
	InstanceID     string `json:"instanceId"`
	DeploymentType string `json:"deploymentType"`
}
