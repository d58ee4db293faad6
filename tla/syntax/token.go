package syntax

// A kind is what sort of token stands somewhere.
type kind uint8

const (
	tokEOF     kind = iota
	tokError        // what is no token; the lexer keeps what is wrong with it
	tokItemEnd      // no token of the text: the next one stands outside of the junction item being read
	tokDefine       // no token of the text: the next one begins a definition, so what came before is complete

	tokIdent
	tokAt // @
	tokNumber
	tokString
	tokOperator // token.op says which
	tokStep     // <1>2., <*>, <+>a: begins a step of a proof, or names one

	tokModuleStart // ---- MODULE
	tokModuleEnd   // ====
	tokSeparator   // ----

	tokComma
	tokColon
	tokColons // ::
	tokDot
	tokUnderscore
	tokDef   // ==
	tokOpen  // (
	tokClose // )
	tokOpenSquare
	tokCloseSquare
	tokCloseSquareSub // ]_
	tokOpenBrace
	tokCloseBrace
	tokOpenAngle     // <<
	tokCloseAngle    // >>
	tokCloseAngleSub // >>_
	tokBang
	tokArrow      // ->
	tokSubstitute // <-
	tokMapsTo     // |->
	tokForall
	tokExists
	tokForallTemporal
	tokExistsTemporal

	// From here on, words. Those that only name operators (ENABLED, SUBSET, ...) are tokOperator.
	tokAction
	tokAssume
	tokAssumption
	tokAxiom
	tokBoxAssume // []ASSUME
	tokBy
	tokCase
	tokChoose
	tokConstant
	tokDefineWord // DEFINE
	tokDefWord    // DEF
	tokElse
	tokExcept
	tokExtends
	tokHave
	tokHide
	tokIf
	tokIn
	tokInstance
	tokLambda
	tokLet
	tokLocal
	tokModule
	tokNew
	tokObvious
	tokOmitted
	tokOnly
	tokOther
	tokPick
	tokProof
	tokProve
	tokBoxProve // []PROVE
	tokQED
	tokRecursive
	tokSF // SF_
	tokState
	tokSuffices
	tokTake
	tokTemporal
	tokThen
	tokTheorem
	tokUse
	tokVariable
	tokWF // WF_
	tokWith
	tokWitness
)

// A token is a piece of the text. Its text is source[start:end].
type token struct {
	kind       kind
	op         uint8 // of a tokOperator: its place in operators
	defines    bool  // it is the first of a definition's left side
	start, end int32
	// column counts characters from 1, tabs go to the next multiple of eight: what the alignment of junction lists goes by.
	column int32
}

// is tells whether the token is the operator of that canonical name.
func (t token) is(name string) bool { return t.kind == tokOperator && operators[t.op].Name == name }

// bullet tells whether the token can begin an item of a list: \land and \lor cannot, though they mean the same as /\ and \/.
func (t token) bullet() bool {
	return (t.is(`/\`) || t.is(`\/`)) && t.end-t.start <= int32(len("∧"))
}

// fix tells whether the token is an operator symbol of that fix. "-" is infix only.
func (t token) fix(fix Fix) bool { return t.kind == tokOperator && operators[t.op].Fix == fix }

// word tells whether the token is a word that may name a field in spite of its other meaning.
func (t token) word() bool {
	switch t.kind {
	case tokUnderscore:
		return true
	case tokBoxAssume, tokBoxProve:
		return false
	case tokOperator:
		switch operators[t.op].Name {
		case "ENABLED", "UNCHANGED", "SUBSET", "UNION", "DOMAIN":
			return true
		}
		return false
	}
	return t.kind >= tokAction
}

// words are the reserved words. The table is not changed.
var words = map[string]kind{
	"ACTION": tokAction, "ACTIONS": tokAction,
	"ASSUME": tokAssume, "ASSUMPTION": tokAssumption, "AXIOM": tokAxiom,
	"BY": tokBy, "CASE": tokCase, "CHOOSE": tokChoose,
	"CONSTANT": tokConstant, "CONSTANTS": tokConstant,
	"DEFINE": tokDefineWord, "DEF": tokDefWord, "DEFS": tokDefWord,
	"ELSE": tokElse, "EXCEPT": tokExcept, "EXTENDS": tokExtends,
	"HAVE": tokHave, "HIDE": tokHide, "IF": tokIf, "IN": tokIn, "INSTANCE": tokInstance,
	"LAMBDA": tokLambda, "LET": tokLet, "LOCAL": tokLocal, "MODULE": tokModule,
	"NEW": tokNew, "OBVIOUS": tokObvious, "OMITTED": tokOmitted, "ONLY": tokOnly, "OTHER": tokOther,
	"PICK": tokPick, "PROOF": tokProof, "PROVE": tokProve, "QED": tokQED, "RECURSIVE": tokRecursive,
	"STATE": tokState, "SUFFICES": tokSuffices, "TAKE": tokTake,
	"TEMPORAL": tokTemporal, "TEMPORALS": tokTemporal, "THEN": tokThen,
	"THEOREM": tokTheorem, "LEMMA": tokTheorem, "PROPOSITION": tokTheorem, "COROLLARY": tokTheorem,
	"USE": tokUse, "VARIABLE": tokVariable, "VARIABLES": tokVariable,
	"WITH": tokWith, "WITNESS": tokWitness,
}

// signs are the tokens that are neither words nor operators, in all their forms. The table is not changed.
var signs = map[string]kind{
	",": tokComma, ":": tokColon, "::": tokColons, "∷": tokColons, ".": tokDot, "==": tokDef, "≜": tokDef,
	"(": tokOpen, ")": tokClose, "[": tokOpenSquare, "]": tokCloseSquare, "]_": tokCloseSquareSub,
	"{": tokOpenBrace, "}": tokCloseBrace, "<<": tokOpenAngle, "⟨": tokOpenAngle,
	">>": tokCloseAngle, "⟩": tokCloseAngle, ">>_": tokCloseAngleSub, "⟩_": tokCloseAngleSub,
	"!": tokBang, "->": tokArrow, "→": tokArrow, "<-": tokSubstitute, "←": tokSubstitute, "|->": tokMapsTo, "↦": tokMapsTo,
	`\A`: tokForall, `\forall`: tokForall, "∀": tokForall, `\E`: tokExists, `\exists`: tokExists, "∃": tokExists,
	`\AA`: tokForallTemporal, `\EE`: tokExistsTemporal,
}

// longestSign bounds the length in bytes of what signs and operatorIndex hold, words aside.
const longestSign = len(`\sqsubseteq`)
