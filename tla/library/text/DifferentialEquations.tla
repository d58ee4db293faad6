------------------------ MODULE DifferentialEquations -----------------------
\* Solutions of ordinary differential equations (Specifying Systems, section 9.5). No tool computes them.
LOCAL INSTANCE Reals
LOCAL INSTANCE Sequences

LOCAL Positive == {r \in Real : r > 0}
LOCAL Between(a, b) == {r \in Real : a < r /\ r < b}

\* Is df the derivative of f?
LOCAL IsDerivative(df, f) ==
    /\ df \in [DOMAIN f -> Real]
    /\ \A r \in DOMAIN f : \A e \in Positive : \E d \in Positive :
            \A s \in Between(r - d, r + d) \ {r} :
                (f[s] - f[r]) / (s - r) \in Between(df[r] - e, df[r] + e)

\* The values at b of f and its first n - 1 derivatives, where D[<<t, f(t), f'(t), ...>>] = 0 around a .. b and InitVals are those values at a.
Integrate(D, a, b, InitVals) ==
    LET n == Len(InitVals)
        Solves(g) ==
            \E e \in Positive :
                /\ g \in [0 .. n -> [Between(a - e, b + e) -> Real]]
                /\ \A i \in 1 .. n : IsDerivative(g[i], g[i - 1]) /\ g[i - 1][a] = InitVals[i]
                /\ \A t \in Between(a - e, b + e) : D[<<t>> \o [i \in 1 .. (n + 1) |-> g[i - 1][t]]] = 0
        solution == CHOOSE g : Solves(g)
    IN  [i \in 1 .. n |-> solution[i - 1][b]]
=============================================================================
