// Package problem is the error that people see: a code for programs, a message
// that names what is wrong, and a hint with the next safe step.
//
// A hint never holds a complete bypassing or destructive command, since agents
// paste hints.
package problem

import "errors"

// Code is the stable name of an error; it decides the exit status.
type Code string

// The codes. docs/exit-codes.md maps them to exit statuses.
const (
	Usage        Code = "usage"         // a word that is not known, a flag that is missing
	Invalid      Code = "invalid"       // a document or payload that is not valid
	GateShut     Code = "gate-shut"     // a fact is due that is not there
	HumanOnly    Code = "human-only"    // a human's verb without a human
	Conflict     Code = "conflict"      // the delivery is not where the call thinks it is
	NoDelivery   Code = "no-delivery"   // there is no delivery here
	NoRepository Code = "no-repository" // there is no Git repository here
	Provider     Code = "provider"      // the provider did not answer, or refused
	Ledger       Code = "ledger"        // the ledger is damaged
	LockTimeout  Code = "lock-timeout"  // somebody else holds the lock
	Failed       Code = "failed"        // anything else
)

// Error is an error with a code, a message and a hint.
type Error struct {
	Code    Code
	Message string
	Hint    string
	Err     error // the cause, may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an Error.
func New(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// Wrap returns an Error with a cause, whose text is the message.
func Wrap(code Code, err error, hint string) *Error {
	return &Error{Code: code, Message: err.Error(), Hint: hint, Err: err}
}

// CodeOf returns the code of the first Error in the chain, or Failed.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Failed
}
