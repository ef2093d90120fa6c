// Package messages stands in for the Messages API that a coding client talks to,
// so that the real client can be driven by tests without a model, an account or a
// network.
//
// A [Server] answers on loopback the requests that a client makes: turns of the
// conversation and of its subagents, the summary of a compaction, titles, the
// permission classifier, and the counting of tokens. What a model would decide is
// a [Model], a Go interface; [Cast] is one whose conversations are plain functions.
// Faults can be laid in for requests to come.
//
// It is no model and no faithful copy of the API. It checks no keys, no limits and
// no schemas of tools; it knows one content block for text and one for a tool's
// use; it counts tokens by length; it keeps nothing between two processes. Fields
// that it does not know are passed over, since a client adds some with each version.
package messages
