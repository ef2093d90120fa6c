// Package schemas holds the JSON Schemas (2020-12) of the files that Asterweave
// reads: documents, the configuration, the delivery graph. They say the same to
// an editor as to the program.
package schemas

import "embed"

// Files holds the schemas, one NAME.schema.json a document.
//
//go:embed *.schema.json
var Files embed.FS
