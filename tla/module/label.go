package module

import (
	"podlife/tla/diag"
	"podlife/tla/syntax"
)

// A labelSet is the labels that may be used directly after one name (Op!lab, or lab1!lab2), and the names bound between that name and the place being
// resolved, each of which a label there has to have as a parameter.
type labelSet struct {
	labels map[string]*labelled
	bound  [][]*Param
}

// labelled is what a label leads to.
type labelled struct {
	label  *Label
	params []*Param // in the order of the label's own list
	labels map[string]*labelled
}

func (r *resolver) pushLabels() *labelSet {
	set := &labelSet{}
	r.labels = append(r.labels, set)
	return set
}

func (r *resolver) popLabels() { r.labels = r.labels[:len(r.labels)-1] }

// pushParams notes names that are bound from here on. It is undone by popParams.
func (r *resolver) pushParams(params []*Param) {
	if n := len(r.labels); n > 0 {
		r.labels[n-1].bound = append(r.labels[n-1].bound, params)
	}
}

func (r *resolver) popParams() {
	if n := len(r.labels); n > 0 {
		set := r.labels[n-1]
		set.bound = set.bound[:len(set.bound)-1]
	}
}

func (r *resolver) pushBounds(bounds []*Bound) {
	var params []*Param
	for _, b := range bounds {
		params = append(params, b.Params...)
	}
	r.pushParams(params)
}

// label resolves lab(x) :: e.
func (r *resolver) label(e *syntax.Label) Expr {
	switch {
	case len(r.labels) == 0:
		r.fail(CodeLabel, e.Name.Span, "a label must be inside a definition, and %s is not", e.Name.Text)
		return r.expr(e.Body)
	case len(r.excepts) > 0:
		r.fail(CodeLabel, e.Name.Span, "a label cannot be inside an EXCEPT")
		return r.expr(e.Body)
	}
	outer := r.labels[len(r.labels)-1]
	inner := r.pushLabels()
	x := &Label{Node: Node{Span: e.Span}, Name: e.Name.Text, Body: r.expr(e.Body)}
	r.popLabels()
	l := &labelled{label: x, labels: inner.labels, params: r.labelParams(e, outer)}
	if old := outer.labels[x.Name]; old != nil {
		err := diag.Errorf(CodeLabel, e.Name.Span, "there is already a label %s here", x.Name)
		err.Notes = append(err.Notes, diag.Note{Span: old.label.Span, Message: "first here"})
		r.l.report(err)
		return x
	}
	if outer.labels == nil {
		outer.labels = map[string]*labelled{}
	}
	outer.labels[x.Name] = l
	return x
}

// labelParams resolves a label's parameters, which must be the names that are bound since the last definition or label: all of them, once.
func (r *resolver) labelParams(e *syntax.Label, set *labelSet) []*Param {
	bound := map[*Param]bool{}
	for _, params := range set.bound {
		for _, p := range params {
			bound[p] = true
		}
	}
	var out []*Param
	for _, n := range e.Params {
		var p *Param
		if entry := r.scope.find(n.Text); entry != nil {
			p, _ = entry.means.(*Param)
		}
		listed, isBound := bound[p]
		switch {
		case p == nil || !isBound:
			r.fail(CodeLabel, n.Span, "%s is not bound between the label %s and the definition that it is in, so the label cannot have it as a parameter", n.Text, e.Name.Text)
			continue
		case !listed:
			r.fail(CodeLabel, n.Span, "the label %s has the parameter %s twice", e.Name.Text, n.Text)
			continue
		}
		bound[p] = false
		out = append(out, p)
	}
	for _, params := range set.bound {
		for _, p := range params {
			if bound[p] {
				r.fail(CodeLabel, e.Name.Span, "the label %s must have %s as a parameter, since it is bound around it", e.Name.Text, p.Name)
			}
		}
	}
	return out
}
