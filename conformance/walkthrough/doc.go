// Package walkthrough holds the test that carries out docs/lifecycle-change.md: every patch in it is applied to a copy of the repository, in order, and the tests that the page calls red or green are.
//
// It has no code of its own and imports nothing of the project: what it looks at is text, git and the go command. There is one file to read, walkthrough_test.go.
package walkthrough
