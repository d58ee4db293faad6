------------------------------ MODULE Functions -----------------------------
\* Functions: restrictions, ranges, inverses, kinds of functions between two sets, folds over their values.
EXTENDS Integers, Folds

\* f on S alone; on the arguments that pass Test; on the arguments whose values pass Test.
Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]
RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]

\* Does wide have all that narrow has?
IsRestriction(narrow, wide) ==
    DOMAIN narrow \subseteq DOMAIN wide /\ \A x \in DOMAIN narrow : wide[x] = narrow[x]

\* The values of f.
Range(f) == {f[x] : x \in DOMAIN f}

\* T of both values, on the domain of f.
Pointwise(f, g, T(_, _)) == [x \in DOMAIN f |-> T(f[x], g[x])]

\* For each t in T an s in S that f maps to it; any s where f has no such value at all.
Inverse(f, S, T) ==
    LET values == Range(f)
    IN  [t \in T |-> CHOOSE s \in S : t \notin values \/ f[s] = t]
AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))

\* Does f never have the same value twice?
IsInjective(f) == \A x, y \in DOMAIN f : x = y \/ f[x] # f[y]

\* The injections, surjections and bijections from S to T.
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : T \subseteq Range(f)}
Bijection(S, T) == {f \in Injection(S, T) : T \subseteq Range(f)}

ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}

\* op(fun[x], op(fun[y], ... base)) over the given arguments, in an order that is not specified.
FoldFunctionOnSet(op(_, _), base, fun, indices) ==
    MapThenFoldSet(op, base, LAMBDA x : fun[x], LAMBDA T : CHOOSE x \in T : TRUE, indices)
FoldFunction(op(_, _), base, fun) == FoldFunctionOnSet(op, base, fun, DOMAIN fun)

\* The sum of the values.
SumFunctionOnSet(fun, indices) == FoldFunctionOnSet(LAMBDA x, y : x + y, 0, fun, indices)
SumFunction(fun) == SumFunctionOnSet(fun, DOMAIN fun)
=============================================================================
