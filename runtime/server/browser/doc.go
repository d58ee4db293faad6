// Package browser holds the tests that look at the page with a real browser, as a person would: docker_test.go against the real program with real containers,
// page_test.go against a fake of the protocol, which can be made to do anything at any moment.
//
// It has no code of its own. Its tests may import what runtime/server may, the engines, and chromedp. Read page_test.go first; harness_test.go starts Chromium
// and watches that the page breaks neither its own policy nor anybody's peace. PODLIFE_SCREENSHOTS names a folder for pictures of what was seen.
package browser
