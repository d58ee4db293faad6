package config

import (
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	maxUsers     = 1000
	userAllowed  = "a list of {name, token_sha256}, at most 1000"
	nameAllowed  = "1 to 32 of a-z 0-9 -, first and last a letter or digit, not \"" + LocalUser + "\""
	tokenAllowed = "64 hexadecimal digits: openssl rand -hex 32 makes a token, printf %s TOKEN | sha256sum its hash"
)

var (
	userName  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`) // also a container's host name
	tokenHash = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// readUsers reads the list of users: names once each, and hashes that can be one.
func (f *file) readUsers(n *yaml.Node, line int) []error {
	f.uline = line
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxUsers {
		return []error{&Error{Key: "users", Source: f.at(line), Problem: "has another form", Allowed: userAllowed}}
	}
	var errs []error
	names, hashes := map[string]int{}, map[string]int{}
	for i, item := range n.Content {
		u, bad := f.readUser(fmt.Sprintf("users[%d]", i), item)
		refuse := func(field, value, problem, allowed string) {
			bad = append(bad, &Error{Key: fmt.Sprintf("users[%d].%s", i, field), Value: value, Source: f.at(item.Line), Problem: problem, Allowed: allowed})
		}
		if len(bad) == 0 {
			switch {
			case u.Name == LocalUser:
				refuse("name", u.Name, "is the user of the token in the data folder", nameAllowed)
			case !userName.MatchString(u.Name):
				refuse("name", u.Name, "has another form", nameAllowed)
			case names[u.Name] > 0:
				refuse("name", u.Name, fmt.Sprintf("is there twice, first in line %d", names[u.Name]), "")
			}
			switch {
			case u.TokenSHA256 == Hidden: // refused by Servable, not here
			case !tokenHash.MatchString(u.TokenSHA256):
				refuse("token_sha256", "", "is not a SHA-256", tokenAllowed) // not shown: it may be the token itself
			case hashes[u.TokenSHA256] > 0:
				refuse("token_sha256", "", fmt.Sprintf("is the same as in line %d: nobody could tell the two users apart", hashes[u.TokenSHA256]), "")
			}
			names[u.Name], hashes[u.TokenSHA256] = item.Line, item.Line
		}
		errs = append(errs, bad...)
		f.users = append(f.users, u)
	}
	return errs
}

// readUser reads the form of one user.
func (f *file) readUser(key string, n *yaml.Node) (u User, errs []error) {
	bad := func(line int, problem string) {
		errs = append(errs, &Error{Key: key, Source: f.at(line), Problem: problem, Allowed: "name and token_sha256"})
	}
	if n.Kind != yaml.MappingNode {
		bad(n.Line, "has to be a mapping")
		return u, errs
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if v.Kind != yaml.ScalarNode {
			bad(k.Line, fmt.Sprintf("%.40q has to be a single value", k.Value))
			continue
		}
		switch {
		case k.Value == "name" && u.Name == "":
			u.Name = v.Value
		case k.Value == "token_sha256" && u.TokenSHA256 == "":
			u.TokenSHA256 = strings.ToLower(v.Value)
		case k.Value == "name" || k.Value == "token_sha256":
			bad(k.Line, k.Value+" is set twice")
		default:
			bad(k.Line, fmt.Sprintf("there is no such setting as %.40q", k.Value))
		}
	}
	if len(errs) == 0 && (u.Name == "" || u.TokenSHA256 == "") {
		bad(n.Line, "is not complete")
	}
	return u, errs
}
