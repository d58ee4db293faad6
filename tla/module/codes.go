package module

import "podlife/tla/diag"

// The kinds of errors that this package finds.
const (
	// CodeModuleNotFound: no folder and no library has a module of that name.
	CodeModuleNotFound diag.Code = "module-not-found"
	// CodeModuleName: a file holds a module of another name than the file's.
	CodeModuleName diag.Code = "module-name"
	// CodeModuleCycle: a module extends or instantiates itself, directly or through others.
	CodeModuleCycle diag.Code = "module-cycle"
	// CodeModuleRedefined: two modules of one name are visible in the same place.
	CodeModuleRedefined diag.Code = "module-redefined"
	// CodeUnreadable: a file is there and cannot be read.
	CodeUnreadable diag.Code = "unreadable"
	// CodeUnknownIdentifier: a name that is not declared or defined where it is used.
	CodeUnknownIdentifier diag.Code = "unknown-identifier"
	// CodeRedefined: a name that already means something is defined, declared or bound again.
	CodeRedefined diag.Code = "redefined"
	// CodeConflict: two extended modules give one name meanings of different kinds.
	CodeConflict diag.Code = "conflict"
	// CodeIncompleteName: an instance's name where an expression or operator must be.
	CodeIncompleteName diag.Code = "incomplete-name"
	// CodeArity: an operator with too many or too few arguments, or a function defined with several arguments applied to another number.
	CodeArity diag.Code = "arity"
	// CodeOperatorExpected: an expression where an operator must be.
	CodeOperatorExpected diag.Code = "operator-expected"
	// CodeExpressionExpected: an operator or LAMBDA where an expression must be.
	CodeExpressionExpected diag.Code = "expression-expected"
	// CodeLevel: an expression of too high a level, such as a primed expression that is primed again.
	CodeLevel diag.Code = "level"
	// CodeAssumptionLevel: an ASSUME that is not constant.
	CodeAssumptionLevel diag.Code = "assumption-level"
	// CodeSubstitution: an INSTANCE without a needed substitution, or with one for what is no parameter of the module, or with two for one.
	CodeSubstitution diag.Code = "substitution"
	// CodeRecursive: a RECURSIVE declaration and the definitions after it do not fit.
	CodeRecursive diag.Code = "recursive"
	// CodeAt: "@" outside of an EXCEPT.
	CodeAt diag.Code = "at"
	// CodeField: a record with two fields of one name.
	CodeField diag.Code = "field"
	// CodeLabel: a label in a wrong place or with wrong parameters.
	CodeLabel diag.Code = "label"
	// CodeUnsupported: legal TLA+ that is not carried out here.
	CodeUnsupported diag.Code = "unsupported"
	// CodeLimit: a limit on size or nesting, which keeps a wrong input from using up memory.
	CodeLimit diag.Code = "limit"
)

// Limits on what one Load takes. They are far above what people write.
const (
	maxModules     = 2_000
	maxSourceBytes = 16 << 20
	maxDepth       = 10_000    // of expressions in the text
	maxCopyDepth   = 60_000    // of recursion while an instance is carried out or levels are computed
	maxCopies      = 2_000_000 // expressions that come into being by INSTANCE
	maxErrors      = 50
)
