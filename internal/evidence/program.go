package evidence

// Program is the file that a command's name stood for when it was looked up.
type Program struct {
	Path   string `json:"path"`   // absolute, as found on PATH, symbolic links kept
	Digest string `json:"digest"` // SHA-256, in hex, of the file's content
}
