package tlc

// The messages of TLC's tool mode that are understood, by number. A number whose meaning is not known here, and whose severity is that of an
// error, makes the verdict VerdictError; it is never passed over.
const (
	msgGeneral = 1000 // an exception that TLC did not foresee

	msgInitialError               = 2102 // an evaluation error in an initial state
	msgNested                     = 2103 // belongs to the error before it: the expressions that were being evaluated
	msgAssumptionFalse            = 2104
	msgAssumptionError            = 2105
	msgInitialIncomplete          = 2106
	msgInvariantViolatedInitially = 2107
	msgPropertyViolatedInitially  = 2108
	msgNextIncomplete             = 2109
	msgInvariantViolated          = 2110
	msgInvariantError             = 2111
	msgStepViolated               = 2112
	msgStepError                  = 2113
	msgDeadlock                   = 2114
	msgNoNext                     = 2115
	msgTemporalViolated           = 2116
	msgErrorState                 = 2120 // belongs to the error before it
	msgBehavior                   = 2121 // likewise: a counterexample follows
	msgBackToState                = 2122 // ends a counterexample that is a lasso
	msgAssertFailed               = 2132
	msgInvariantLevel             = 2146
	msgInvariantConstant          = 2149
	msgParseError                 = 2171
	msgMode                       = 2187
	msgModeSimulation             = 2188
	msgSuccess                    = 2193
	msgDepth                      = 2194
	msgCounts                     = 2199
	msgCoverageStart              = 2201
	msgProgressSimulation         = 2209
	msgCountsSimulation           = 2210
	msgStateWithoutNumber         = 2216
	msgState                      = 2217
	msgStuttering                 = 2218
	msgCoverageExpression         = 2221
	msgVersion                    = 2262
	msgCounterexample             = 2264 // the same as 2121, of a temporal property
	msgModeDepthFirst             = 2271
	msgPostconditionFalse         = 2404
	msgPostconditionError         = 2405
	msgCoverageAction             = 2772
	msgCoverageInit               = 2773
	msgCoverageProperty           = 2774
	msgCoverageCost               = 2775
	msgParsingFailed              = 3002
)

// configCode tells whether an error is one of the configuration: of the file's text (5001 to 5006), or of what its names mean.
func configCode(code int) bool {
	switch {
	case code >= 5001 && code <= 5006, code >= 2222 && code <= 2243, code >= 2272 && code <= 2274:
		return true
	}
	return code == 2245 || code == 2257 || code == 2259 || code == 2280 || code == 2281
}

// A Verdict is what TLC says of a model, in one word.
type Verdict string

// The verdicts.
const (
	VerdictOK            Verdict = "ok"
	VerdictAssumption    Verdict = "assumption"    // an ASSUME is false, or cannot be evaluated
	VerdictDeadlock      Verdict = "deadlock"      //
	VerdictInvariant     Verdict = "invariant"     //
	VerdictProperty      Verdict = "property"      // a PROPERTY, in an initial state or by a step
	VerdictTemporal      Verdict = "temporal"      // a PROPERTY, by an infinite behaviour
	VerdictPostcondition Verdict = "postcondition" //
	VerdictAssert        Verdict = "assert"        // an Assert in the specification itself
	VerdictEvaluation    Verdict = "evaluation"    // something cannot be evaluated
	VerdictParse         Verdict = "parse"         // the specification has a syntactic or semantic error
	VerdictConfig        Verdict = "config"        // the configuration does
	VerdictError         Verdict = "error"         // another error; see Result.Code
)

// exitCodes are those with which TLC ends after each verdict. TLC has one code for errors that it does not distinguish.
var exitCodes = map[Verdict][]int{
	VerdictOK:            {0},
	VerdictAssumption:    {10},
	VerdictDeadlock:      {11},
	VerdictInvariant:     {12},
	VerdictProperty:      {13},
	VerdictTemporal:      {13},
	VerdictPostcondition: {10},
	VerdictAssert:        {14},
	VerdictEvaluation:    {13, 14, 75, 76, 77, exitOther}, // 14 where an Assert inside an invariant was false
	VerdictParse:         {150, exitOther},
	VerdictConfig:        {75, 151, exitOther},
}

// exitOther is TLC's exit code for an error without a code of its own.
const exitOther = 255
