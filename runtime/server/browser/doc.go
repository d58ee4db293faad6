// Package browser holds the tests that look at the page with a real browser, as a person would: page_test.go against a fake of the protocol, which can be
// made to do anything at any moment.
//
// It has no code of its own. Its tests may import what runtime/server may, and chromedp. Read page_test.go first; harness_test.go starts Chromium and
// watches that the page breaks neither its own policy nor anybody's peace.
package browser
