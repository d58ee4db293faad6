package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxFile bounds the file: a thousand users fit many times.
const maxFile = 1 << 20

// fileValue is what the file says about one setting.
type fileValue struct {
	text []string
	line int
}

// file is a parsed configuration file.
type file struct {
	name   string
	values map[string]fileValue // by key
	users  []User
	uline  int // of `users`, 0 when the file has none
}

func (f *file) at(line int) string { return fmt.Sprintf("%s:%d", f.name, line) }

// parseFile reads the file's form: known keys, once each, of the right shape. What the values may be is looked at later.
func parseFile(name string) (*file, error) {
	f := &file{name: name, values: map[string]fileValue{}}
	b, err := readSmall(name, maxFile)
	if err != nil {
		return nil, &Error{Source: name, Problem: err.Error()}
	}
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return f, nil
	} else if err != nil {
		return nil, &Error{Source: name, Problem: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Error{Source: name, Problem: "has more than one YAML document, or something broken behind the first"}
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return f, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &Error{Source: f.at(root.Line), Problem: "is not a mapping of settings"}
	}
	return f, errors.Join(f.mapping(root, "")...)
}

// mapping reads a mapping whose keys continue prefix.
func (f *file) mapping(n *yaml.Node, prefix string) []error {
	var errs []error
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := prefix + k.Value
		bad := func(problem, allowed string) {
			errs = append(errs, &Error{Key: key, Source: f.at(k.Line), Problem: problem, Allowed: allowed})
		}
		if k.Kind != yaml.ScalarNode || k.Tag != "!!str" || v.Kind == yaml.AliasNode || v.Anchor != "" {
			bad("anchors, aliases, merge keys and keys that are no words are not understood here", "")
			continue
		}
		if before, twice := seen[key]; twice {
			bad(fmt.Sprintf("is set twice, first in line %d", before), "")
			continue
		}
		seen[key] = k.Line
		s, known := find(key)
		switch {
		case key == "users":
			errs = append(errs, f.readUsers(v, k.Line)...)
		case known:
			texts, err := scalars(v, s.List)
			if err != nil {
				bad(err.Error(), s.Allowed)
				continue
			}
			f.values[key] = fileValue{text: texts, line: k.Line}
		case isSection(key):
			if v.Kind == yaml.ScalarNode && v.Tag == "!!null" {
				continue
			}
			if v.Kind != yaml.MappingNode {
				bad("has to be a mapping of settings", "")
				continue
			}
			errs = append(errs, f.mapping(v, key+".")...)
		default:
			errs = append(errs, &Error{Key: key, Source: f.at(k.Line), Problem: "there is no such setting" + hint(key)})
		}
	}
	return errs
}

// scalars gives the text of a value, one, or any number where a list is allowed.
func scalars(v *yaml.Node, many bool) ([]string, error) {
	one := func(n *yaml.Node) (string, error) {
		if n.Kind != yaml.ScalarNode {
			return "", errors.New("has to be a single value")
		}
		if n.Tag == "!!null" {
			return "", nil
		}
		return n.Value, nil
	}
	if !many {
		s, err := one(v)
		return []string{s}, err
	}
	if v.Kind == yaml.ScalarNode && v.Tag == "!!null" {
		return []string{}, nil
	}
	if v.Kind != yaml.SequenceNode {
		return nil, errors.New("has to be a list")
	}
	texts := []string{}
	for _, n := range v.Content {
		s, err := one(n)
		if err != nil || s == "" {
			return nil, errors.New("has to be a list of single values")
		}
		texts = append(texts, s)
	}
	return texts, nil
}

func find(key string) (Setting, bool) {
	rows := Settings()
	i := slices.IndexFunc(rows, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return rows[i], true
}

func isSection(key string) bool {
	return slices.ContainsFunc(Settings(), func(s Setting) bool { return strings.HasPrefix(s.Key, key+".") })
}

// apply puts what the file says into c.
func (f *file) apply(in Input, c *Config, sources map[string]string) []error {
	var errs []error
	for _, s := range Settings() {
		v, ok := f.values[s.Key]
		if !ok {
			continue
		}
		if s.path {
			v.text[0] = in.abs(v.text[0], filepath.Dir(f.name))
		}
		sources[s.Key] = f.at(v.line)
		if err := s.set(c, v.text); err != nil {
			errs = append(errs, &Error{Key: s.Key, Value: strings.Join(v.text, ","), Source: f.at(v.line), Problem: err.Error(), Allowed: s.Allowed})
		}
	}
	if f.uline > 0 {
		c.Users = f.users
		sources["users"] = f.at(f.uline)
	}
	return errs
}
