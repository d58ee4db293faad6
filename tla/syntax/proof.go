package syntax

import (
	"fmt"
	"strconv"
)

// Proofs are read because only their structure tells where they end, and then dropped. Their grammar is that of "TLA+2: A Preliminary Guide",
// section 7; the levels decide which step belongs to which proof.

// The levels of steps whose number does not say them: <*> is that of the proof it is in, <+> is one more.
const (
	levelSame = -1
	levelNext = -2
)

// stepLevel gives the level of a step: what stands between "<" and ">".
func (p *parser) stepLevel(t token) int {
	text := p.text(t)
	switch text[1] {
	case '*':
		return levelSame
	case '+':
		return levelNext
	}
	end, _ := stepLevelEnd([]byte(text), 0)
	level, err := strconv.Atoi(text[1 : end-1])
	if err != nil {
		p.fail(t, "this level of a proof step is too large", "")
	}
	return level
}

// beginsProof tells whether the next token begins a proof of what comes before it.
func (p *parser) beginsProof() bool {
	t := p.raw()
	switch p.kind() {
	case tokBy, tokProof, tokObvious, tokOmitted:
		return true
	case tokStep:
		if len(p.levels) == 0 {
			return true
		}
		current := p.levels[len(p.levels)-1]
		switch level := p.stepLevel(t); level {
		case levelSame:
			return false
		case levelNext:
			return true
		default:
			return current >= 0 && level > current
		}
	}
	return false
}

// proof reads a proof.
func (p *parser) proof() {
	p.enter()
	p.levels = append(p.levels, -1)
	began := p.raw()
	word := p.accept(tokProof)
	switch p.kind() {
	case tokBy:
		p.useBody(p.take())
	case tokObvious, tokOmitted:
		p.take()
	case tokStep:
		for !p.step() {
		}
	default:
		if word {
			p.failExpected("BY, OBVIOUS, OMITTED or the first step of the proof")
		}
		p.fail(began, "expected a proof", "")
	}
	p.levels = p.levels[:len(p.levels)-1]
	p.leave()
}

// step reads one step of a proof with its own proof. It tells whether it was the last one, QED.
func (p *parser) step() (qed bool) {
	number := p.raw()
	if p.kind() != tokStep {
		p.failExpected("a step of the proof; the last one is QED")
	}
	p.checkLevel(number)
	p.take()
	proved := false
	switch p.kind() {
	case tokQED:
		p.take()
		qed, proved = true, true
	case tokUse, tokHide:
		p.useBody(p.take())
	case tokInstance:
		p.instance(p.raw(), false)
	case tokDefineWord, tokDefine:
		p.accept(tokDefineWord)
		p.definition(p.raw(), false)
		for p.kind() == tokDefine {
			p.definition(p.raw(), false)
		}
	case tokHave:
		p.take()
		p.expression()
	case tokTake:
		p.take()
		if p.bindsNames() {
			p.bounds()
		} else {
			p.unbounded()
		}
	case tokWitness:
		p.take()
		p.list()
	case tokPick:
		pick := p.take()
		if p.namesBefore(tokColon) {
			p.unbounded()
		} else {
			p.bounds()
		}
		p.expectIn(tokColon, "this PICK", pick)
		p.expression()
		proved = true
	case tokCase:
		p.take()
		p.expression()
		proved = true
	default:
		p.accept(tokSuffices)
		if p.kind() == tokAssume || p.kind() == tokBoxAssume {
			p.assumeProve()
		} else {
			p.expression()
		}
		proved = true
	}
	if p.beginsProof() {
		if !proved {
			p.fail(p.raw(), fmt.Sprintf("the step %s takes no proof, but here one begins", p.text(number)), "")
		}
		p.proof()
	}
	return qed
}

// checkLevel makes sure that a step belongs to the proof being read. The first step of a proof decides its level.
func (p *parser) checkLevel(number token) {
	n := len(p.levels) - 1
	outer := -1
	if n > 0 {
		outer = p.levels[n-1]
	}
	level := p.stepLevel(number)
	switch {
	case p.levels[n] < 0 && level < 0:
		p.levels[n] = outer + 1
	case p.levels[n] < 0:
		if level <= outer {
			p.fail(number, fmt.Sprintf("the first step of a proof inside a step of level %d has the level %d", outer, level), "its level must be higher")
		}
		p.levels[n] = level
	case level == levelNext || level >= 0 && level != p.levels[n]:
		p.fail(number, fmt.Sprintf("expected a step of level %d, found %s", p.levels[n], p.text(number)), "each proof ends with a QED step of its own level")
	}
}

// useBody reads what follows BY, USE or HIDE: facts, and DEF with definitions.
func (p *parser) useBody(word token) {
	if word.kind != tokHide {
		p.accept(tokOnly)
	}
	if p.kind() != tokDefWord && !p.endsUse() {
		p.uses()
	}
	if p.accept(tokDefWord) {
		p.uses()
	}
}

// endsUse tells whether a BY, USE or HIDE ends without having named anything.
func (p *parser) endsUse() bool {
	k := p.kind()
	return k == tokEOF || k == tokStep && !p.isStepName() || k == tokDefine || k == tokModuleEnd || k == tokModuleStart || k.beginsUnit()
}

// isStepName tells whether the next token, a tokStep, can be the name of a step rather than the beginning of one.
func (p *parser) isStepName() bool {
	text := p.text(p.raw())
	return text[1] != '+' && isNameByte(text[len(text)-1])
}

// uses reads facts or definitions with commas between them.
func (p *parser) uses() {
	for {
		t := p.raw()
		switch {
		case p.accept(tokModule):
			p.freeIdent()
		case p.kind() == tokOperator && p.endsArgument(p.kindAt(1)):
			p.take()
		case p.kind() == tokOperator && t.fix(Infix) && p.kindAt(1) == tokBang:
			p.general()
		default:
			p.expression()
		}
		if !p.accept(tokComma) {
			return
		}
	}
}

// assumeProve reads ASSUME ..., ... PROVE e.
func (p *parser) assumeProve() {
	p.enter()
	start := p.take()
	p.assumption()
	for p.accept(tokComma) {
		p.assumption()
	}
	if !p.accept(tokBoxProve) {
		p.expectIn(tokProve, "this ASSUME", start)
	}
	p.expression()
	p.leave()
}

// assumption reads one of the things that an ASSUME ... PROVE assumes: a new name, another ASSUME ... PROVE, or an expression.
func (p *parser) assumption() {
	isAssume := func(k kind) bool { return k == tokAssume || k == tokBoxAssume }
	switch k := p.kind(); {
	case isAssume(k):
		p.assumeProve()
	case k == tokIdent && p.kindAt(1) == tokColons && isAssume(p.kindAt(2)):
		p.take()
		p.take()
		p.assumeProve()
	case k == tokNew, k == tokConstant, k == tokVariable, k == tokState, k == tokAction, k == tokTemporal:
		p.newName()
	default:
		p.expression()
	}
}

// newName reads NEW x, NEW x \in S, CONSTANT F(_), NEW VARIABLE v, STATE P, ...
func (p *parser) newName() {
	p.accept(tokNew)
	if p.accept(tokVariable) {
		p.ident()
		return
	}
	if p.accept(tokState) || p.accept(tokAction) || p.accept(tokTemporal) {
		p.decl()
		return
	}
	p.accept(tokConstant)
	d := p.decl()
	if in := p.raw(); p.acceptOperator(`\in`) {
		if d.Arity > 0 {
			p.fail(in, "an operator that takes arguments is not an element of a set", "")
		}
		p.expression()
	}
}
