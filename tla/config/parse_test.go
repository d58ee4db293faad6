package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"podlife/tla/diag"
)

var update = flag.Bool("update", false, "write the expected results of testdata anew")

// A file is a part of a testdata archive, which is a comment and then files, each after a line "-- name --".
type file struct{ name, text string }

func readArchive(t testing.TB, path string) (comment string, files []file) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			files = append(files, file{name: strings.TrimSuffix(name, " --\n")})
		} else if len(files) == 0 {
			comment += line
		} else {
			files[len(files)-1].text += line
		}
	}
	return comment, files
}

// golden runs f on each NAME.cfg of an archive and compares with NAME.want.
func golden(t *testing.T, path string, f func(src *diag.Source) string) {
	comment, files := readArchive(t, path)
	want := map[string]string{}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.name, ".want"); ok {
			want[name] = f.text
		}
	}
	out := comment
	for _, file := range files {
		name, ok := strings.CutSuffix(file.name, ".cfg")
		if !ok {
			continue
		}
		got := f(diag.NewSource(file.name, []byte(file.text)))
		out += "-- " + file.name + " --\n" + file.text + "-- " + name + ".want --\n" + got
		if *update {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want[name], got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGood(t *testing.T) {
	golden(t, "testdata/good.txtar", func(src *diag.Source) string {
		c, err := Parse(src)
		if err != nil {
			return "ERROR " + err.Error() + "\n"
		}
		return dump(c)
	})
}

func TestBad(t *testing.T) {
	golden(t, "testdata/bad.txtar", func(src *diag.Source) string {
		_, err := Parse(src)
		if err == nil {
			return "no error\n"
		}
		var b strings.Builder
		for _, e := range diag.All(err) {
			text := e.Error()
			if e.Code == CodeValue {
				text, _, _ = strings.Cut(text, " made: ") // what follows is package value's
			}
			fmt.Fprintf(&b, "%s [%s] at %q\n", text, e.Code, e.Span.Text())
			if e.Help != "" {
				fmt.Fprintf(&b, "  help: %s\n", e.Help)
			}
			for _, n := range e.Notes {
				fmt.Fprintf(&b, "  note: %s: %s\n", n.Span, n.Message)
			}
		}
		return b.String()
	})
}

func TestWindowsLineEnds(t *testing.T) {
	c, err := Parse(diag.NewSource("a.cfg", []byte("\ufeffINIT Init \\* comment\r\nNEXT Next\r\n")))
	if err != nil || c.Init.Text != "Init" || c.Next.Text != "Next" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"size":   strings.Repeat(" ", MaxSize+1),
		"depth":  "CONSTANT C = " + strings.Repeat("{", 100000),
		"digits": "CONSTANT C = " + strings.Repeat("9", 100000),
	} {
		_, err := Parse(diag.NewSource(name, []byte(text)))
		if all := diag.All(err); len(all) == 0 || all[0].Code != CodeTooLarge {
			t.Errorf("%s: got %v, want an error with code %s", name, err, CodeTooLarge)
		}
	}
	_, err := Parse(diag.NewSource("many", bytes.Repeat([]byte("INIT 1 "), 1000)))
	if n := len(diag.All(err)); n != maxErrors {
		t.Errorf("%d errors, want %d", n, maxErrors)
	}
}

func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/good.txtar", "testdata/bad.txtar"} {
		_, files := readArchive(f, path)
		for _, file := range files {
			if strings.HasSuffix(file.name, ".cfg") {
				f.Add([]byte(file.text))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(diag.NewSource("f.cfg", text))
		if (c == nil) == (err == nil) {
			t.Fatalf("got %v and %v", c, err)
		}
		for _, e := range diag.All(err) {
			if e.Span.Start > e.Span.End || e.Span.End > len(text) || e.Code == "" {
				t.Errorf("bad error: %+v", e)
			}
		}
	})
}

// dump prints what a configuration says, one thing a line.
func dump(c *Config) string {
	var b strings.Builder
	names := func(what string, all []Name) {
		for _, n := range all {
			fmt.Fprintf(&b, "%s %s\n", what, n.Text)
		}
	}
	name := func(what string, n *Name) {
		if n != nil {
			names(what, []Name{*n})
		}
	}
	name("specification", c.Specification)
	name("init", c.Init)
	name("next", c.Next)
	names("invariant", c.Invariants)
	names("property", c.Properties)
	names("constraint", c.Constraints)
	names("action constraint", c.ActionConstraints)
	names("symmetry", c.Symmetry)
	name("view", c.View)
	name("alias", c.Alias)
	names("postcondition", c.PostCondition)
	if c.CheckDeadlock != nil {
		fmt.Fprintf(&b, "deadlock %t\n", *c.CheckDeadlock)
	}
	for _, k := range c.Constants {
		fmt.Fprintf(&b, "constant %s", k.Name.Text)
		if k.Args != nil {
			fmt.Fprintf(&b, "%v", k.Args)
		}
		if k.Module != "" {
			fmt.Fprintf(&b, " of %s", k.Module)
		}
		fmt.Fprintf(&b, " = %s\n", k.Value)
	}
	for _, o := range c.Overrides {
		fmt.Fprintf(&b, "override %s by %s", o.Name.Text, o.By.Text)
		if o.Module != "" {
			fmt.Fprintf(&b, " of %s", o.Module)
		}
		b.WriteByte('\n')
	}
	for _, m := range c.Models {
		fmt.Fprintf(&b, "model value %s\n", m)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "warning %s (%s, %s)\n", w, w.Notes[0].Message, w.Notes[0].Span)
	}
	return b.String()
}
