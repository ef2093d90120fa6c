// Package e2e holds tests that drive the real client through deliveries, with a
// scripted model in the place of the Messages API and the test in the place of the
// human. They are built with the tag e2e, by make e2e; docs/client-tests.md says how
// they work.
package e2e
