// Package client runs the real Claude Code client for tests, against a stand-in for
// its model ([messages.Server]).
//
// A client that is run here has no credentials and no way out: its environment is
// built from a list of what is allowed, its home is the test's, the key is a word
// that is none, and where the machine allows it the client lives in a network
// namespace that holds nothing but the stand-in's loopback. [Isolated] says whether
// it does.
//
// [Start] opens a session over the client's control protocol, in which a test is the
// human: it types, answers questions and permission prompts. [Print] is one prompt
// without a human. Only processes that were started here are ended, by their id.
package client
