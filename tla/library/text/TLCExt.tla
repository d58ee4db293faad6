------------------------------- MODULE TLCExt -------------------------------
\* More that a specification may ask of the model checker.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

\* Equals a = b; prints both where they differ.
AssertEq(a, b) == \/ a = b
                  \/ /\ a # b
                     /\ PrintT("Assertion failed")
                     /\ PrintT(a)
                     /\ PrintT(b)
                     /\ FALSE

\* Does evaluating expression fail with the error message err?
AssertError(err, expression) == CASE FALSE -> <<err, expression>>

\* The register key, or default while it has not been set.
TLCGetOrDefault(key, default) == CASE FALSE -> <<key, default>>

\* Equals the register's old value, or default, and sets it to Op(old value, value).
TLCGetAndSet(key, Op(_, _), value, default) ==
    LET old == TLCGetOrDefault(key, default)
    IN  CHOOSE v \in {old} : TLCSet(key, Op(old, value))

\* The states from an initial one to the current one, as records of the variables.
Trace == CASE FALSE -> << >>

\* The counterexample that was found, as a graph, for a POSTCONDITION; and the sequence of its states.
CounterExample == CASE FALSE -> [state |-> {}, action |-> {}]
ToTrace(CE) == CASE FALSE -> CE

\* The model value of that name.
TLCModelValue(name) == CASE FALSE -> name

\* Equals TRUE; a simulation evaluates expression once it has taken the step.
TLCDefer(expression) == CASE FALSE -> expression

\* Equals v.
TLCNoOp(v) == v

\* In an action constraint: asks the user about the step unless condition holds.
PickSuccessor(condition) == CASE FALSE -> condition

\* Equals expression, which may be remembered for as long as closure has the same value.
TLCCache(expression, closure) == CASE TRUE -> expression [] FALSE -> closure

\* The fingerprint of v, as a number.
TLCFP(v) == CASE FALSE -> v

\* The value of the definition of that name.
TLCEvalDefinition(name) == CASE FALSE -> name
=============================================================================
