package config

import (
	"fmt"

	"podlife/tla/diag"
)

// constants reads the lines of a CONSTANTS section.
func constants(p *parser, _ token) *diag.Error {
	for p.peek().kind != end && !keyword(p.peek()) {
		if err := p.constant(); err != nil {
			return err
		}
	}
	return nil
}

// constant reads "Name <- By", "Name <-[Module] By", "Name = value", "Name = [Module] value" or "Name(values) = value".
func (p *parser) constant() *diag.Error {
	n, err := p.name("The name of a constant or definition")
	if err != nil {
		return err
	}
	if p.accept("<-") {
		return p.override(n)
	}
	c := Constant{Name: n}
	if p.accept("(") {
		if c.Args, err = p.values(")"); err != nil {
			return err
		}
	}
	if t := p.peek(); !p.accept("=") {
		err := diag.Errorf(CodeExpected, t.span, "\"=\" or \"<-\" was expected after %s, but %s was found.", n.Text, describe(t))
		err.Help = suggestion(n.Text)
		return err
	}
	if c.Module, err = p.module(); err != nil {
		return err
	}
	if c.Value, err = p.value(); err != nil {
		return err
	}
	p.addConstant(c)
	return nil
}

func (p *parser) override(n Name) *diag.Error {
	o := Override{Name: n}
	var err *diag.Error
	if o.Module, err = p.module(); err != nil {
		return err
	}
	if o.By, err = p.name("The name of a definition to put in the place of " + n.Text); err != nil {
		return err
	}
	// As in TLC, the last of several lines counts.
	lines := &p.config.Overrides
	key := o.Module + " " + n.Text
	if i, ok := p.overrides[key]; ok {
		p.warn((*lines)[i].Name.Span, n.Span, "given again", "This line has no effect, because %s is given again later.", n.Text)
		(*lines)[i] = o
		return nil
	}
	p.overrides[key] = len(*lines)
	*lines = append(*lines, o)
	return nil
}

// addConstant adds a line. As in TLC, the last of several plain values of a constant counts, and the first of several for the same arguments.
func (p *parser) addConstant(c Constant) {
	lines := &p.config.Constants
	key := c.Module + " " + c.Name.Text + " " + fmt.Sprint(c.Args)
	switch i, ok := p.constants[key]; {
	case !ok:
		p.constants[key] = len(*lines)
		*lines = append(*lines, c)
	case len(c.Args) > 0:
		p.warn(c.Name.Span, (*lines)[i].Name.Span, "first given", "This line has no effect, because %s is given for these arguments earlier.", c.Name.Text)
	default:
		p.warn((*lines)[i].Name.Span, c.Name.Span, "given again", "This line has no effect, because %s is given again later.", c.Name.Text)
		(*lines)[i] = c
	}
}

// module reads "[Module]" where there is one.
func (p *parser) module() (string, *diag.Error) {
	if !p.accept("[") {
		return "", nil
	}
	t := p.peek()
	if t.kind != identifier {
		return "", diag.Errorf(CodeExpected, t.span, "The name of a module was expected after \"[\", but %s was found.", describe(t))
	}
	p.at++
	if c := p.peek(); !p.accept("]") {
		return "", diag.Errorf(CodeExpected, c.span, "\"]\" was expected after %s, but %s was found.", t.text, describe(c))
	}
	return t.text, nil
}
