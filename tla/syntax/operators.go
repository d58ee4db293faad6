package syntax

// Assoc says how a chain of one infix operator is read.
type Assoc int

// AssocNone makes a chain such as a = b = c an error. AssocLeft reads a + b + c as (a + b) + c. No operator of TLA+ associates to the right.
const (
	AssocNone Assoc = iota
	AssocLeft
)

// OperatorInfo is how the grammar treats an operator symbol (Specifying Systems, tables 5 and 6). Low and High bound its precedence, from 1
// to 17; a higher one binds stronger. Of two neighbours whose ranges meet, neither goes first, and parentheses are required.
type OperatorInfo struct {
	Name      string // canonical, see Canonical
	Fix       Fix    // Infix, Prefix or Postfix
	Low, High int
	Assoc     Assoc
}

// Canonical gives the one ASCII name under which a symbol stands in the tree, whichever way it was written: "\cup" for "\union" and "∪",
// "#" for "/=" and "≠", "<=" for "=<", "\leq" and "≤". Where there are several ASCII forms, it is one of
//
//	~  /\  \/  <=>  #  <=  >=  \X  \cap  \cup  \o  (+)  (-)  (.)  (/)  (\X)
//
// A text that is no operator symbol is given back as it is.
func Canonical(symbol string) string {
	if i, ok := operatorIndex[symbol]; ok {
		return operators[i].Name
	}
	return symbol
}

// Operator gives what the grammar knows of a symbol, in any of its forms. "-" is the infix minus and "-." the prefix one. ok is false for
// what is no operator symbol.
func Operator(symbol string) (info OperatorInfo, ok bool) {
	i, ok := operatorIndex[symbol]
	if !ok {
		return OperatorInfo{}, false
	}
	return operators[i].OperatorInfo, true
}

// prec tells whether, in "a left b right c", right goes first.
func (left OperatorInfo) prec(right OperatorInfo) bool { return left.High < right.Low }

// succ tells whether, in "a left b right c", left goes first. One that chains to the left goes before itself.
func (left OperatorInfo) succ(right OperatorInfo) bool {
	return left.Low > right.High || left.Name == right.Name && left.Assoc == AssocLeft
}

// operators is the table of all operator symbols. It is not changed.
var operators = [...]struct {
	OperatorInfo
	synonyms []string
}{
	{OperatorInfo{"~", Prefix, 4, 4, AssocNone}, []string{`\lnot`, `\neg`, "¬"}},
	{OperatorInfo{"[]", Prefix, 4, 15, AssocNone}, []string{"□"}},
	{OperatorInfo{"<>", Prefix, 4, 15, AssocNone}, []string{"◇"}},
	{OperatorInfo{"ENABLED", Prefix, 4, 15, AssocNone}, nil},
	{OperatorInfo{"UNCHANGED", Prefix, 4, 15, AssocNone}, nil},
	{OperatorInfo{"SUBSET", Prefix, 10, 13, AssocNone}, nil},
	{OperatorInfo{"UNION", Prefix, 10, 13, AssocNone}, nil},
	{OperatorInfo{"DOMAIN", Prefix, 10, 13, AssocNone}, nil},
	{OperatorInfo{"-.", Prefix, 12, 12, AssocNone}, nil},

	{OperatorInfo{"'", Postfix, 15, 15, AssocNone}, nil},
	{OperatorInfo{"^+", Postfix, 15, 15, AssocNone}, []string{"⁺"}},
	{OperatorInfo{"^*", Postfix, 15, 15, AssocNone}, nil},
	{OperatorInfo{"^#", Postfix, 15, 15, AssocNone}, nil},

	{OperatorInfo{"=>", Infix, 1, 1, AssocNone}, []string{"⇒"}},
	{OperatorInfo{"<=>", Infix, 2, 2, AssocNone}, []string{`\equiv`, "≡", "⇔"}},
	{OperatorInfo{"~>", Infix, 2, 2, AssocNone}, []string{"↝"}},
	{OperatorInfo{"-+->", Infix, 2, 2, AssocNone}, []string{"⇸"}},
	{OperatorInfo{`/\`, Infix, 3, 3, AssocLeft}, []string{`\land`, "∧"}},
	{OperatorInfo{`\/`, Infix, 3, 3, AssocLeft}, []string{`\lor`, "∨"}},
	{OperatorInfo{"=", Infix, 5, 5, AssocNone}, nil},
	{OperatorInfo{"#", Infix, 5, 5, AssocNone}, []string{"/=", "≠"}},
	{OperatorInfo{"<", Infix, 5, 5, AssocNone}, nil},
	{OperatorInfo{">", Infix, 5, 5, AssocNone}, nil},
	{OperatorInfo{"<=", Infix, 5, 5, AssocNone}, []string{"=<", `\leq`, "≤"}},
	{OperatorInfo{">=", Infix, 5, 5, AssocNone}, []string{`\geq`, "≥"}},
	{OperatorInfo{`\in`, Infix, 5, 5, AssocNone}, []string{"∈"}},
	{OperatorInfo{`\notin`, Infix, 5, 5, AssocNone}, []string{"∉"}},
	{OperatorInfo{`\subseteq`, Infix, 5, 5, AssocNone}, []string{"⊆"}},
	{OperatorInfo{`\subset`, Infix, 5, 5, AssocNone}, []string{"⊂"}},
	{OperatorInfo{`\supset`, Infix, 5, 5, AssocNone}, []string{"⊃"}},
	{OperatorInfo{`\supseteq`, Infix, 5, 5, AssocNone}, []string{"⊇"}},
	{OperatorInfo{`\sqsubset`, Infix, 5, 5, AssocNone}, []string{"⊏"}},
	{OperatorInfo{`\sqsubseteq`, Infix, 5, 5, AssocNone}, []string{"⊑"}},
	{OperatorInfo{`\sqsupset`, Infix, 5, 5, AssocNone}, []string{"⊐"}},
	{OperatorInfo{`\sqsupseteq`, Infix, 5, 5, AssocNone}, []string{"⊒"}},
	{OperatorInfo{`\prec`, Infix, 5, 5, AssocNone}, []string{"≺"}},
	{OperatorInfo{`\preceq`, Infix, 5, 5, AssocNone}, []string{"⪯"}},
	{OperatorInfo{`\succ`, Infix, 5, 5, AssocNone}, []string{"≻"}},
	{OperatorInfo{`\succeq`, Infix, 5, 5, AssocNone}, []string{"⪰"}},
	{OperatorInfo{`\sim`, Infix, 5, 5, AssocNone}, []string{"∼"}},
	{OperatorInfo{`\simeq`, Infix, 5, 5, AssocNone}, []string{"≃"}},
	{OperatorInfo{`\approx`, Infix, 5, 5, AssocNone}, []string{"≈"}},
	{OperatorInfo{`\cong`, Infix, 5, 5, AssocNone}, []string{"≅"}},
	{OperatorInfo{`\asymp`, Infix, 5, 5, AssocNone}, []string{"≍"}},
	{OperatorInfo{`\doteq`, Infix, 5, 5, AssocNone}, []string{"≐"}},
	{OperatorInfo{`\propto`, Infix, 5, 5, AssocNone}, []string{"∝"}},
	{OperatorInfo{`\ll`, Infix, 5, 5, AssocNone}, []string{"≪"}},
	{OperatorInfo{`\gg`, Infix, 5, 5, AssocNone}, []string{"≫"}},
	{OperatorInfo{"|-", Infix, 5, 5, AssocNone}, []string{"⊢"}},
	{OperatorInfo{"|=", Infix, 5, 5, AssocNone}, []string{"⊨"}},
	{OperatorInfo{"-|", Infix, 5, 5, AssocNone}, []string{"⊣"}},
	{OperatorInfo{"=|", Infix, 5, 5, AssocNone}, []string{"⫤"}},
	{OperatorInfo{":=", Infix, 5, 5, AssocNone}, []string{"≔"}},
	{OperatorInfo{"::=", Infix, 5, 5, AssocNone}, []string{"⩴"}},
	{OperatorInfo{`\cdot`, Infix, 5, 14, AssocLeft}, []string{"⋅"}},
	{OperatorInfo{"@@", Infix, 6, 6, AssocLeft}, nil},
	{OperatorInfo{":>", Infix, 7, 7, AssocNone}, nil},
	{OperatorInfo{"<:", Infix, 7, 7, AssocNone}, nil},
	{OperatorInfo{`\`, Infix, 8, 8, AssocNone}, nil},
	{OperatorInfo{`\cap`, Infix, 8, 8, AssocLeft}, []string{`\intersect`, "∩"}},
	{OperatorInfo{`\cup`, Infix, 8, 8, AssocLeft}, []string{`\union`, "∪"}},
	{OperatorInfo{"..", Infix, 9, 9, AssocNone}, []string{"‥"}},
	{OperatorInfo{"...", Infix, 9, 9, AssocNone}, []string{"…"}},
	{OperatorInfo{"!!", Infix, 9, 13, AssocNone}, []string{"‼"}},
	{OperatorInfo{"##", Infix, 9, 13, AssocLeft}, nil},
	{OperatorInfo{"$", Infix, 9, 13, AssocLeft}, nil},
	{OperatorInfo{"$$", Infix, 9, 13, AssocLeft}, nil},
	{OperatorInfo{"??", Infix, 9, 13, AssocLeft}, []string{"⁇"}},
	{OperatorInfo{`\sqcap`, Infix, 9, 13, AssocLeft}, []string{"⊓"}},
	{OperatorInfo{`\sqcup`, Infix, 9, 13, AssocLeft}, []string{"⊔"}},
	{OperatorInfo{`\uplus`, Infix, 9, 13, AssocLeft}, []string{"⊎"}},
	{OperatorInfo{`\wr`, Infix, 9, 14, AssocNone}, []string{"≀"}},
	{OperatorInfo{`\X`, Infix, 10, 13, AssocLeft}, []string{`\times`, "×"}},
	{OperatorInfo{"+", Infix, 10, 10, AssocLeft}, nil},
	{OperatorInfo{"++", Infix, 10, 10, AssocLeft}, nil},
	{OperatorInfo{"(+)", Infix, 10, 10, AssocLeft}, []string{`\oplus`, "⊕"}},
	{OperatorInfo{"%", Infix, 10, 11, AssocNone}, nil},
	{OperatorInfo{"%%", Infix, 10, 11, AssocLeft}, nil},
	{OperatorInfo{"|", Infix, 10, 11, AssocLeft}, nil},
	{OperatorInfo{"||", Infix, 10, 11, AssocLeft}, []string{"‖"}},
	{OperatorInfo{"-", Infix, 11, 11, AssocLeft}, nil},
	{OperatorInfo{"--", Infix, 11, 11, AssocLeft}, nil},
	{OperatorInfo{"(-)", Infix, 11, 11, AssocLeft}, []string{`\ominus`, "⊖"}},
	{OperatorInfo{"*", Infix, 13, 13, AssocLeft}, nil},
	{OperatorInfo{"**", Infix, 13, 13, AssocLeft}, nil},
	{OperatorInfo{"/", Infix, 13, 13, AssocNone}, nil},
	{OperatorInfo{"//", Infix, 13, 13, AssocNone}, nil},
	{OperatorInfo{`\div`, Infix, 13, 13, AssocNone}, []string{"÷"}},
	{OperatorInfo{"&", Infix, 13, 13, AssocLeft}, nil},
	{OperatorInfo{"&&", Infix, 13, 13, AssocLeft}, nil},
	{OperatorInfo{"(.)", Infix, 13, 13, AssocLeft}, []string{`\odot`, "⊙"}},
	{OperatorInfo{"(/)", Infix, 13, 13, AssocNone}, []string{`\oslash`, "⊘"}},
	{OperatorInfo{`(\X)`, Infix, 13, 13, AssocLeft}, []string{`\otimes`, "⊗"}},
	{OperatorInfo{`\o`, Infix, 13, 13, AssocLeft}, []string{`\circ`, "∘"}},
	{OperatorInfo{`\bigcirc`, Infix, 13, 13, AssocLeft}, []string{"◯"}},
	{OperatorInfo{`\bullet`, Infix, 13, 13, AssocLeft}, []string{"●"}},
	{OperatorInfo{`\star`, Infix, 13, 13, AssocLeft}, []string{"⋆"}},
	{OperatorInfo{"^", Infix, 14, 14, AssocNone}, nil},
	{OperatorInfo{"^^", Infix, 14, 14, AssocNone}, nil},
}

// operatorIndex finds a symbol, in any form, in operators. It is not changed.
var operatorIndex = func() map[string]uint8 {
	index := map[string]uint8{}
	for i, op := range operators {
		index[op.Name] = uint8(i)
		for _, synonym := range op.synonyms {
			index[synonym] = uint8(i)
		}
	}
	return index
}()
