package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBranch is how long a branch's name may be, in bytes: a file's name in git's own folder.
const maxBranch = 200

// CheckBranch says whether a branch or tag may have this name: a *RefusedError if git (git check-ref-format --branch) would refuse it or take it for something else, such as an option, another revision or a pattern.
func CheckBranch(name string) error {
	switch {
	case name == "" || len(name) > maxBranch:
		return refuse(ReasonBranch, "a branch's name has 1 to %d characters", maxBranch)
	case name[0] == '-':
		return refuse(ReasonOption, "the branch begins with a dash, like an option")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }):
		return refuse(ReasonBranch, "a branch's name has no spaces, control or invisible characters")
	case strings.ContainsAny(name, `~^:?*[\`) || strings.Contains(name, "..") || strings.Contains(name, "@{"):
		return refuse(ReasonBranch, `a branch's name has no ~ ^ : ? * [ \ .. or @{`)
	case name == "@" || name == "HEAD":
		return refuse(ReasonBranch, "@ and HEAD are no branches but whatever is checked out")
	case strings.HasSuffix(name, "."):
		return refuse(ReasonBranch, "a branch's name does not end with a dot")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return refuse(ReasonBranch, "no part of a branch's name is empty, begins with a dot or ends with .lock")
		}
	}
	return nil
}
