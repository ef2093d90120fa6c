package azureserver

import (
	"fmt"
	"net/url"
)

// Ids of the project and the repository.
const (
	ProjectID    = "0bdb0000-0000-4000-8000-000000000001"
	RepositoryID = "a2900000-0000-4000-8000-000000000002"
)

// Person is an identity.
type Person struct {
	ID      int
	Name    string
	Mail    string
	Service bool // of a pipeline, not of a person
}

// Agent is the identity that the token belongs to.
func Agent() Person { return Person{ID: 1, Name: "Agent", Mail: "agent@example.com"} }

// Writer is a person whose pushes a test may tell the server of.
func Writer() Person { return Person{ID: 2, Name: "Dev Writer", Mail: "dev@example.com"} }

// Stranger is a person who never pushed.
func Stranger() Person { return Person{ID: 3, Name: "Dev Stranger", Mail: "stranger@example.com"} }

// GUID is the identity's id.
func (p Person) GUID() string { return fmt.Sprintf("%08x-0000-4000-8000-00000000000f", p.ID) }

func (p Person) view() map[string]any {
	v := map[string]any{"id": p.GUID(), "displayName": p.Name, "uniqueName": p.Mail, "descriptor": fmt.Sprintf("aad.%08x", p.ID)}
	if p.Service {
		v["descriptor"] = fmt.Sprintf("svc.%08x", p.ID)
	}
	return v
}

func (s *Server) connectionData(url.Values, []string) (int, any) {
	a := Agent()
	user := map[string]any{"id": a.GUID(), "providerDisplayName": a.Name, "isActive": true}
	return 200, map[string]any{"authenticatedUser": user, "authorizedUser": user, "instanceId": "00000000-0000-4000-8000-0000000000aa", "deploymentType": "hosted"}
}
