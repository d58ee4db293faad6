package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Columns and Rows are what a screen has room for.
const (
	Columns = 100
	Rows    = 28
)

// Screen is what a check ends with: what was checked, how much, and what was not.
type Screen struct {
	Check  Check
	Record Record // what this check left
	Source Freshness
}

// stageOf says which stage measures a part, by the part's first word. Where there is no such stage, nothing is said of it.
func stageOf(what string) string {
	switch first, _, _ := strings.Cut(what, ","); first {
	case "specs", "mirror", "mutants", "paths", "faults":
		return first
	case "traces", "histories":
		return "conformance"
	}
	return ""
}

// Lines are those of the screen, each no longer than [Columns].
func (s Screen) Lines() []string {
	lines := []string{"what this check did, and what it did not"}
	parts := s.parts()
	if most := Rows - 6; len(parts) > most { // there is always room for what failed
		parts = append(parts[:most-1], Line{"", Unknown, "and more parts than a screen has room for"})
	}
	for _, l := range parts {
		lines = append(lines, clip(fmt.Sprintf("  %-17s %-8s %s", l.What, l.Mark, l.Text)))
	}
	room := Rows - len(lines) - 1 // the check's own last line comes below
	var below []string
	for _, stage := range s.stages(Failed) {
		below = append(below, clip(fmt.Sprintf("FAILED %s: %s", stage.Name, stage.Reason)))
	}
	var idle []string
	for _, stage := range s.stages(NotRun) {
		idle = append(idle, stage.Name)
	}
	if len(idle) > 0 {
		below = append(below, wrapped("did not run: ", idle)...)
	}
	if len(below) > room {
		below = append(below[:room-1], fmt.Sprintf("and %d lines more: see the table above", len(below)-room+1))
	}
	return append(lines, below...)
}

// wrapped lists names in lines, the further ones indented as far as the first is by its title.
func wrapped(title string, names []string) []string {
	lines := []string{title}
	for i, name := range names {
		if i < len(names)-1 {
			name += ", "
		}
		last := &lines[len(lines)-1]
		if utf8.RuneCountInString(*last+name) > Columns && *last != title {
			*last = strings.TrimRight(*last, " ")
			lines = append(lines, strings.Repeat(" ", len(title)))
			last = &lines[len(lines)-1]
		}
		*last += name
	}
	return lines
}

func (s Screen) stages(mark Mark) []Stage {
	var found []Stage
	for _, stage := range s.Check.Stages {
		if stage.Mark() == mark {
			found = append(found, stage)
		}
	}
	return found
}

// parts are the record's, with the reason where one did not run, and what of the world was there.
func (s Screen) parts() []Line {
	lines := s.Record.Lines()
	for i, l := range lines {
		if l.Mark != NotRun || strings.HasPrefix(l.What, "specs, ") {
			continue
		}
		if why := s.why(stageOf(l.What)); why != "" {
			lines[i].Text = why
		}
	}
	lines = append(lines, s.stageLine("TLC", "tlc", "found the same in the configurations"), s.stageLine("browser", "browser", "the pages were used in a real browser"), s.docker())
	source := Line{"coverage.json", s.Source.Mark(), "not compared with the source"}
	switch {
	case len(s.Source.Different) > 0:
		source.Text = fmt.Sprintf("%d of %d files are not what it records: make coverage", len(s.Source.Different), s.Source.Compared)
	case s.Source.Compared > 0:
		source.Text = fmt.Sprintf("is of this source: %d files are what it records", s.Source.Compared)
	}
	return append(lines, source)
}

// why says why a stage left nothing.
func (s Screen) why(name string) string {
	i := slices.IndexFunc(s.Check.Stages, func(stage Stage) bool { return stage.Name == name })
	if i < 0 {
		return ""
	}
	switch stage := s.Check.Stages[i]; stage.Result {
	case "not_asked":
		return "the stage " + name + " was not asked for"
	case "ok":
		return "the stage " + name + " passed and left no figures"
	default:
		return fmt.Sprintf("stage %s: %s: %s", name, stage.Mark(), stage.Reason)
	}
}

// stageLine is a line of what a stage says by its result alone.
func (s Screen) stageLine(what, name, passed string) Line {
	i := slices.IndexFunc(s.Check.Stages, func(stage Stage) bool { return stage.Name == name })
	if i < 0 {
		return Line{what, NotRun, "there is no stage " + name}
	}
	stage := s.Check.Stages[i]
	l := Line{what, stage.Mark(), passed}
	switch {
	case stage.Result == "not_asked":
		l.Text = "the stage " + name + " was not asked for"
	case l.Mark != Passed || stage.Reason != "":
		l.Text = stage.Reason
	}
	return l
}

// docker says whether there was an engine, as far as any stage needed one.
func (s Screen) docker() Line {
	l := Line{"Docker", NotRun, "no stage that needs an engine was asked for"}
	for _, stage := range s.Check.Stages {
		if !slices.Contains(strings.Split(stage.Needs, ","), "docker") || stage.Result == "not_asked" {
			continue
		}
		if strings.HasPrefix(stage.Reason, "no Docker engine") || strings.HasPrefix(stage.Reason, "no image") {
			return Line{"Docker", Failed, stage.Reason}
		}
		if stage.Mark() == Passed {
			l = Line{"Docker", Passed, "an engine with the images was there"}
		} else if l.Mark == NotRun {
			l = Line{"Docker", Unknown, "no stage that needs it passed"}
		}
	}
	return l
}

// clip cuts a line to the screen's width.
func clip(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line)
	if utf8.RuneCountInString(line) <= Columns {
		return line
	}
	return string([]rune(line)[:Columns-1]) + "…"
}

// Write prints the screen.
func (s Screen) Write(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(s.Lines(), "\n")+"\n")
	return err
}

// ReadScreen reads what a check left in a folder, and holds coverage.json against the source in root.
func ReadScreen(ctx context.Context, dir, coverage, root string) (Screen, error) {
	var s Screen
	check, err := readCheck(ctx, dir)
	if err != nil {
		return s, err
	}
	if check == nil {
		return s, fmt.Errorf("%s: no check left its results there", dir)
	}
	s.Check = *check
	if s.Record, err = ReadResults(ctx, dir); err != nil {
		return s, err
	}
	recorded, err := ReadCoverage(ctx, coverage)
	if err != nil {
		return s, err
	}
	s.Source, err = freshness(root, recorded.Hashes)
	return s, err
}
