package config

import (
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// Print writes the effective configuration as YAML, each value with its source as a comment. Load reads it back to the same configuration, but for the hashes of users' tokens, which are hidden.
func (l *Loaded) Print(w io.Writer) error {
	root := &yaml.Node{Kind: yaml.MappingNode, HeadComment: "The effective configuration of podlife serve; give it back with --config."}
	sections := map[string]*yaml.Node{}
	for _, s := range Settings() {
		into, name := root, s.Key
		if section, rest, nested := strings.Cut(s.Key, "."); nested {
			if sections[section] == nil {
				sections[section] = &yaml.Node{Kind: yaml.MappingNode}
				root.Content = append(root.Content, word(section), sections[section])
			}
			into, name = sections[section], rest
		}
		v := scalar(strings.Join(s.get(&l.Config), ","))
		if s.List {
			v = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, one := range s.get(&l.Config) {
				v.Content = append(v.Content, scalar(one))
			}
		}
		v.LineComment = l.Sources[s.Key]
		into.Content = append(into.Content, word(name), v)
	}
	root.Content = append(root.Content, word("users"), l.usersNode())
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	return e.Close()
}

func (l *Loaded) usersNode() *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if len(l.Users) == 0 {
		n.Style = yaml.FlowStyle
		n.LineComment = l.Sources["users"]
		return n
	}
	for _, u := range l.Users {
		name := scalar(u.Name)
		name.LineComment = l.Sources["users"]
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{word("name"), name, word("token_sha256"), scalar(Hidden)}})
	}
	return n
}

func word(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// scalar writes a text plainly where that reads back as the same text, and quoted otherwise.
func scalar(s string) *yaml.Node {
	var back yaml.Node
	if err := yaml.Unmarshal([]byte(s), &back); err == nil && len(back.Content) == 1 {
		if n := back.Content[0]; n.Kind == yaml.ScalarNode && n.Value == s && n.Tag != "!!null" {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Tag: n.Tag}
		}
	}
	return word(s)
}
