------------------------------ MODULE Relation ------------------------------
\* Relations over a set S, as functions R from S \X S to BOOLEAN; the operators whose names end in Under take the relation as an operator.
EXTENDS Naturals, FiniteSets

LOCAL Matrix(op(_, _), S) == [p \in S \X S |-> op(p[1], p[2])]

IsReflexive(R, S) == \A x \in S : R[x, x]
IsReflexiveUnder(op(_, _), S) == IsReflexive(Matrix(op, S), S)

IsIrreflexive(R, S) == \A x \in S : ~ R[x, x]
IsIrreflexiveUnder(op(_, _), S) == IsIrreflexive(Matrix(op, S), S)

IsSymmetric(R, S) == \A x, y \in S : R[x, y] <=> R[y, x]
IsSymmetricUnder(op(_, _), S) == IsSymmetric(Matrix(op, S), S)

IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAntiSymmetricUnder(op(_, _), S) == IsAntiSymmetric(Matrix(op, S), S)

IsAsymmetric(R, S) == \A x, y \in S : R[x, y] => ~ R[y, x]
IsAsymmetricUnder(op(_, _), S) == IsAsymmetric(Matrix(op, S), S)

IsTransitive(R, S) == \A x, y \in S : R[x, y] => \A z \in S : R[y, z] => R[x, z]
IsTransitiveUnder(op(_, _), S) == IsTransitive(Matrix(op, S), S)

\* Orders: < and \leq are examples of a strict one and of one that is not.
IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) == IsStrictlyPartiallyOrdered(Matrix(op, S), S)

IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(op(_, _), S) == IsPartiallyOrdered(Matrix(op, S), S)

IsStrictlyTotallyOrdered(R, S) ==
    IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x = y \/ R[x, y] \/ R[y, x]
IsStrictlyTotallyOrderedUnder(op(_, _), S) == IsStrictlyTotallyOrdered(Matrix(op, S), S)

IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]
IsTotallyOrderedUnder(op(_, _), S) == IsTotallyOrdered(Matrix(op, S), S)

\* Are x and y related by one step or more? By none or more?
TransitiveClosure(R, S) ==
    LET through[T \in SUBSET S] ==
            IF T = {}
            THEN [x, y \in S |-> R[x, y]]
            ELSE LET z == CHOOSE z \in T : TRUE
                     Q == through[T \ {z}]
                 IN  [x, y \in S |-> Q[x, y] \/ (Q[x, z] /\ Q[z, y])]
    IN  through[S]
ReflexiveTransitiveClosure(R, S) ==
    LET closure == TransitiveClosure(R, S)
    IN  [x, y \in S |-> x = y \/ closure[x, y]]

\* Does a way lead from each element to each?
IsConnected(R, S) == LET way == ReflexiveTransitiveClosure(R, S) IN \A x, y \in S : way[x, y]
=============================================================================
