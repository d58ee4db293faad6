------------------------------ MODULE RealTime ------------------------------
\* Time as a variable, and bounds on how long an action may stay enabled (Specifying Systems, chapter 9).
EXTENDS Reals

\* The current time.
VARIABLE now

\* Time goes on without end, and while it does v does not change.
RTnow(v) ==
    LET Tick == now' \in {r \in Real : r > now} /\ UNCHANGED v
    IN  /\ now \in Real
        /\ [][Tick]_now
        /\ \A r \in Real : WF_now(Tick /\ now' > r)

\* Action A happens no earlier than D and no later than E after it has become enabled.
RTBound(A, v, D, E) ==
    LET Reset == <<A>>_v \/ ~ (ENABLED <<A>>_v)'
        Runs(t) == t = 0 /\ [][t' = (IF Reset THEN 0 ELSE t + (now' - now))]_<<t, v, now>>
    IN  \EE t : /\ Runs(t)
                /\ [](t \leq E)
                /\ [][A => t \geq D]_v
=============================================================================
