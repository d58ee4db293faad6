// Package browser holds the test that opens the report with a real browser, from the disk, as whoever was sent it does.
//
// It has no code of its own. Its test imports conformance/report and chromedp. There is one file to read, browser_test.go. PODLIFE_SCREENSHOTS names a folder for pictures of what was seen.
package browser
