package evidence

// Surroundings are what can make a command do something else although no word of it
// changed: variables, and settings in files. No value is among them that is not known to
// steer test runners.
type Surroundings struct {
	Digest   string            `json:"digest"`   // SHA-256 of all of it, in hex; "" when nothing is known
	Hashes   map[string]string `json:"hashes"`   // label → keyed hash of what it is
	Settings map[string]string `json:"settings"` // label → value, of those that are known to steer runners
}
