-------------------------------- MODULE Folds -------------------------------
\* The fold that the other modules' folds are made of.

\* op(f(x), op(f(y), ... op(f(z), base))): x is choose(S), y is choose(S \ {x}), and so on until no element is left.
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
    LET fold[T \in SUBSET S] ==
            IF T = {} THEN base
                      ELSE LET x == choose(T) IN op(f(x), fold[T \ {x}])
    IN  fold[S]
=============================================================================
