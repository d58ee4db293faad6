package syntax

// markDefinitions marks the first token of each definition: nothing but the "==" tells where one begins, so that in
//
//	a == b
//	f(x) == c
//
// "b f(x)" would be read as one piece without looking ahead. From each "==", the left side is followed backwards: name, name(...), name[...],
// a + b, -. a or a ^+.
func markDefinitions(tokens []token) {
	opening := matchBrackets(tokens)
	for i := range tokens {
		if tokens[i].kind != tokDef || i == 0 {
			continue
		}
		if first := leftSide(tokens, opening, i-1); first >= 0 {
			tokens[first].defines = true
		}
	}
}

// leftSide gives where the left side begins that ends with token i, or -1 where there is none.
func leftSide(tokens []token, opening map[int]int, i int) int {
	before := func(n int) token {
		if n > i {
			return token{}
		}
		return tokens[i-n]
	}
	switch last := tokens[i]; {
	case last.kind == tokClose || last.kind == tokCloseSquare:
		open, ok := opening[i]
		if !ok || open == 0 || tokens[open-1].kind != tokIdent {
			return -1
		}
		return open - 1
	case last.kind == tokIdent:
		op := before(1)
		switch {
		// "WITH + <- x" ends in a name too, and so do "BY DEF ++" and a definition below it: only a name before an infix operator makes
		// the two a left side.
		case op.fix(Infix) && before(2).kind == tokIdent:
			return i - 2
		case op.fix(Prefix) && before(2).kind != tokSubstitute && before(2).kind != tokBang:
			return i - 1
		}
		return i
	case last.fix(Postfix):
		if before(1).kind == tokIdent {
			return i - 1
		}
	}
	return -1
}

// matchBrackets gives, for each ")" and "]" before a "==", where its bracket opens. One that does not match is left out.
func matchBrackets(tokens []token) map[int]int {
	opening := map[int]int{}
	var open []int
	for i, t := range tokens {
		switch t.kind {
		case tokOpen, tokOpenSquare:
			open = append(open, i)
		case tokClose, tokCloseSquare, tokCloseSquareSub:
			if len(open) == 0 {
				continue
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if i+1 < len(tokens) && tokens[i+1].kind == tokDef {
				opening[i] = last
			}
		case tokDef, tokModuleStart, tokModuleEnd, tokSeparator:
			// LET stands inside brackets, but its left sides do not contain any that are open. A stray bracket further up is
			// forgotten at a unit's end at the latest.
			if t.kind != tokDef {
				open = open[:0]
			}
		}
	}
	return opening
}
