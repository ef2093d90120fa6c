package wire

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
)

// leastSecret is the length from which a credential is looked for in answers. Real ones are
// longer; a shorter one would be found in answers by chance.
const leastSecret = 20

// repeats reports whether an answer holds the credential of its request, so that it would
// come into errors, proofs and artifacts. The value of the header Authorization is looked
// for without its scheme, and for Basic also the password itself.
func repeats(authorization string, header http.Header, body []byte) bool {
	scheme, value, _ := strings.Cut(authorization, " ")
	secrets := []string{value}
	if strings.EqualFold(scheme, "Basic") {
		if plain, err := base64.StdEncoding.DecodeString(value); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			secrets = append(secrets, password)
		}
	}
	for _, s := range secrets {
		if len(s) < leastSecret {
			continue
		}
		if bytes.Contains(body, []byte(s)) {
			return true
		}
		for _, values := range header {
			if strings.Contains(strings.Join(values, "\n"), s) {
				return true
			}
		}
	}
	return false
}
