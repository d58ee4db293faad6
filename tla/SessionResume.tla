--------------------------- MODULE SessionResume ---------------------------
(***************************************************************************)
(* How a terminal that lost its connection goes on: byte for byte where it *)
(* was, or from a reset that says so, and never with the bytes of another  *)
(* shell.                                                                  *)
(*                                                                         *)
(* One tab of one pod. Its shell's output is numbered: byte n of a session *)
(* is the same for everybody who sees it. The session host keeps the       *)
(* newest Ring bytes. Each viewer has a connection of its own, which can   *)
(* break at any moment, with what is still under way on it; what was under *)
(* way may also arrive when the next one is there already.                 *)
(*                                                                         *)
(* A guard is written Guard("Action.guard", condition) and ends in a       *)
(* comment with its name; naming it in Off switches it off. A rule is the  *)
(* same for an effect. Each has a configuration in tla/configs, which      *)
(* something must violate.                                                 *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Viewers,      \* pages and programs that show the tab
    MaxSessions,  \* bound on the shells that the tab has, one after the other
    MaxOut,       \* bound on the output of each
    MaxConns,     \* bound on the connections of each viewer
    Ring,         \* so many bytes the host keeps
    Window,       \* so many bytes a viewer may have been sent and not have acknowledged
    Off           \* the guards and rules that are switched off; {} in the design that ships

ASSUME MaxSessions \in Nat /\ MaxOut \in Nat /\ MaxConns \in Nat
ASSUME Ring \in Nat \ {0} /\ Window \in 1..Ring
ASSUME IsFiniteSet(Off)

VARIABLES
    host,    \* the session: its number (truth), the epoch that names it, the ring [lo, hi), whether the shell has exited
    conn,    \* the connection of each viewer: its number, what it is at, next byte to send, bytes acknowledged, whether the exit was sent
    wire,    \* what is under way to each viewer, in order
    page,    \* what each viewer shows: the epoch, the next byte that it expects, whether it was told of the exit
    seen,    \* truth, history: the sessions of which the viewer shows bytes since its last reset, and whether all of them were in order
    final,   \* truth, history: how much output each session had in the end
    alone    \* history: the viewer's connection has had no other beside it

vars == <<host, conn, wire, page, seen, final, alone>>

Guard(name, condition) == name \notin Off => condition
Rule(name) == name \notin Off

\* Nobody ever had session 0; 0 is also the byte of a place that is not in the ring.
Nothing == 0

On(v) == conn[v].at = "on"

NoConn(n) == [n |-> n, at |-> "off", sent |-> 0, acked |-> 0, told |-> FALSE]

Init ==
    /\ host = [session |-> 1, epoch |-> 1, lo |-> 0, hi |-> 0, over |-> FALSE]
    /\ conn = [v \in Viewers |-> NoConn(0)]
    /\ wire = [v \in Viewers |-> <<>>]
    /\ page = [v \in Viewers |-> [epoch |-> 0, have |-> 0, exited |-> FALSE]]
    /\ seen = [v \in Viewers |-> [sessions |-> {}, ordered |-> TRUE]]
    /\ final = [s \in 1..MaxSessions |-> 0]
    /\ alone = [v \in Viewers |-> TRUE]

(***************************************************************************)
(* The shell.                                                              *)
(***************************************************************************)

Lags(v) == On(v) /\ host.hi - conn[v].acked >= Window

\* Nobody of those who are there keeps up.
Stalled ==
    IF Rule("Produce.anyOne")  \* vacuous-ok: chooses a design
    THEN (\E v \in Viewers : On(v)) /\ (\A v \in Viewers : On(v) => Lags(v))
    ELSE \E v \in Viewers : Lags(v)

\* Its terminal is read as long as nobody is there, or somebody who is keeps up. A viewer that does not holds up nobody.
Produce ==
    /\ ~host.over                                                                 \* guard: runs
    /\ host.hi < MaxOut                                                           \* guard: bounded
    /\ Guard("Produce.notStalled", ~Stalled)                                      \* guard: notStalled
    /\ LET hi == host.hi + 1 IN
        /\ host' = [host EXCEPT !.hi = hi, !.lo = IF hi > @ + Ring THEN @ + 1 ELSE @]
        /\ final' = [final EXCEPT ![host.session] = hi]
    /\ UNCHANGED <<conn, wire, page, seen, alone>>

Exit ==
    /\ ~host.over                                                                 \* guard: runs
    /\ host' = [host EXCEPT !.over = TRUE]
    /\ UNCHANGED <<conn, wire, page, seen, final, alone>>

\* Another shell: the one before has exited, or its container is gone with all that was connected to it.
\* vacuous-ok: needs two shells
Replace ==
    /\ host.session < MaxSessions                                                 \* guard: bounded
    /\ LET s == host.session + 1 IN
        host' = [session |-> s, epoch |-> IF Rule("Replace.freshEpoch") THEN s ELSE host.epoch, lo |-> 0, hi |-> 0, over |-> FALSE]
    /\ conn' = [v \in Viewers |-> NoConn(conn[v].n)]
    /\ UNCHANGED <<wire, page, seen, final, alone>>

(***************************************************************************)
(* Connecting. The viewer says what it has; the answer and the             *)
(* subscription are one step, so that nothing comes between.               *)
(***************************************************************************)

Ask(v) ==
    /\ conn[v].at = "off"                                                         \* guard: off
    /\ conn[v].n < MaxConns                                                       \* guard: bounded
    /\ conn' = [conn EXCEPT ![v] = [NoConn(@.n + 1) EXCEPT !.at = "asked"]]
    /\ UNCHANGED <<host, wire, page, seen, final, alone>>

\* What the viewer shows is of this session, and what it lacks is in the ring.
Resumable(v) ==
    /\ Guard("Resume.sameEpoch", page[v].epoch = host.epoch)
    /\ Guard("Resume.inRing", page[v].have >= host.lo)
    /\ page[v].have <= host.hi

Others(v) == {u \in Viewers \ {v} : On(u)}

Connect(v, from) ==
    /\ conn' = [conn EXCEPT ![v].at = "on", ![v].sent = from, ![v].acked = from]
    /\ alone' = [w \in Viewers |-> IF w = v THEN Others(v) = {} ELSE alone[w] /\ ~On(w)]

Frame(v, kind, at, session) == [conn |-> conn[v].n, kind |-> kind, epoch |-> host.epoch, at |-> at, session |-> session]

Resume(v) ==
    /\ conn[v].at = "asked"                                                       \* guard: asked
    /\ Resumable(v)                                                               \* guard: resumable
    /\ Connect(v, page[v].have)
    /\ UNCHANGED <<host, wire, page, seen, final>>

\* A reset brings a picture of the terminal as it is at its end, and says from where bytes follow: from there.
Reset(v) ==
    /\ conn[v].at = "asked"                                                       \* guard: asked
    /\ ~Resumable(v)                                                              \* guard: notResumable
    /\ Connect(v, host.hi)
    /\ wire' = [wire EXCEPT ![v] = Append(@, Frame(v, "reset", host.hi, Nothing))]
    /\ UNCHANGED <<host, page, seen, final>>

Drop(v) ==
    /\ conn[v].at # "off"                                                         \* guard: connected
    /\ conn' = [conn EXCEPT ![v] = NoConn(@.n)]
    /\ UNCHANGED <<host, wire, page, seen, final, alone>>

(***************************************************************************)
(* Sending.                                                                *)
(***************************************************************************)

Send(v) ==
    /\ On(v)                                                                      \* guard: on
    /\ conn[v].sent < host.hi                                                     \* guard: more
    /\ Guard("Send.inWindow", conn[v].sent - conn[v].acked < Window)              \* guard: inWindow
    /\ Guard("Send.inRing", conn[v].sent >= host.lo)  (* vacuous-ok: needs two viewers *) \* guard: inRing
    /\ wire' = [wire EXCEPT ![v] = Append(@, Frame(v, "data", conn[v].sent, IF conn[v].sent >= host.lo THEN host.session ELSE Nothing))]
    /\ conn' = [conn EXCEPT ![v].sent = @ + 1]
    /\ UNCHANGED <<host, page, seen, final, alone>>

\* A viewer that was so slow that what it lacks is gone.
\* vacuous-ok: who is alone is waited for
FallBack(v) ==
    /\ On(v)                                                                      \* guard: on
    /\ conn[v].sent < host.lo                                                     \* guard: fellOut
    /\ conn' = [conn EXCEPT ![v].sent = host.hi, ![v].acked = host.hi]
    /\ wire' = [wire EXCEPT ![v] = Append(@, Frame(v, "reset", host.hi, Nothing))]
    /\ UNCHANGED <<host, page, seen, final, alone>>

SendExit(v) ==
    /\ On(v)                                                                      \* guard: on
    /\ host.over                                                                  \* guard: over
    /\ ~conn[v].told                                                              \* guard: notTold
    /\ Guard("SendExit.allSent", conn[v].sent = host.hi)                          \* guard: allSent
    /\ wire' = [wire EXCEPT ![v] = Append(@, Frame(v, "exit", host.hi, host.session))]
    /\ conn' = [conn EXCEPT ![v].told = TRUE]
    /\ UNCHANGED <<host, page, seen, final, alone>>

(***************************************************************************)
(* The viewer.                                                             *)
(***************************************************************************)

First(v) == Head(wire[v])

\* What comes on a connection that is over says nothing.
Mine(v) == First(v).conn = conn[v].n /\ conn[v].at # "off"

Ignore(v) ==
    /\ wire[v] # <<>>                                                             \* guard: arrives
    /\ ~Guard("Receive.thisConnection", Mine(v))                                  \* guard: notMine
    /\ wire' = [wire EXCEPT ![v] = Tail(@)]
    /\ UNCHANGED <<host, conn, page, seen, final, alone>>

Receive(v) ==
    /\ wire[v] # <<>>                                                             \* guard: arrives
    /\ Guard("Receive.thisConnection", Mine(v))                                   \* guard: thisConnection
    /\ wire' = [wire EXCEPT ![v] = Tail(@)]
    /\ LET f == First(v) IN
       CASE f.kind = "reset" ->
                /\ page' = [page EXCEPT ![v] = [epoch |-> f.epoch, have |-> f.at, exited |-> FALSE]]
                /\ seen' = [seen EXCEPT ![v] = [sessions |-> {}, ordered |-> TRUE]]
         [] f.kind = "data" ->
                /\ page' = [page EXCEPT ![v].have = @ + 1]
                /\ seen' = [seen EXCEPT ![v] = [sessions |-> @.sessions \union {f.session}, ordered |-> @.ordered /\ f.at = page[v].have]]
         [] f.kind = "exit" ->
                /\ page' = [page EXCEPT ![v].exited = TRUE]
                /\ seen' = [seen EXCEPT ![v] = [sessions |-> @.sessions \union {f.session}, ordered |-> @.ordered /\ f.at = page[v].have]]
    /\ UNCHANGED <<host, conn, final, alone>>

Ack(v) ==
    /\ On(v)                                                                      \* guard: on
    /\ page[v].epoch = host.epoch                                                 \* guard: sameEpoch
    /\ conn[v].acked < page[v].have                                               \* guard: news
    /\ conn' = [conn EXCEPT ![v].acked = page[v].have]
    /\ UNCHANGED <<host, wire, page, seen, final, alone>>

-----------------------------------------------------------------------------

Next ==
    \/ Produce
    \/ Exit
    \/ Replace
    \/ \E v \in Viewers :
        \/ Ask(v)
        \/ Resume(v)
        \/ Reset(v)
        \/ Drop(v)
        \/ Send(v)
        \/ FallBack(v)
        \/ SendExit(v)
        \/ Ignore(v)
        \/ Receive(v)
        \/ Ack(v)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

Kinds == {"data", "reset", "exit"}

TypeOK ==
    /\ host \in [session : 1..MaxSessions, epoch : 1..MaxSessions, lo : 0..MaxOut, hi : 0..MaxOut, over : BOOLEAN]
    /\ conn \in [Viewers -> [n : 0..MaxConns, at : {"off", "asked", "on"}, sent : 0..MaxOut, acked : 0..MaxOut, told : BOOLEAN]]
    /\ \A v \in Viewers : \A i \in 1..Len(wire[v]) :
        wire[v][i] \in [conn : 1..MaxConns, kind : Kinds, epoch : 1..MaxSessions, at : 0..MaxOut, session : 0..MaxSessions]
    /\ \A v \in Viewers : page[v].epoch \in 0..MaxSessions /\ page[v].have \in Nat /\ page[v].exited \in BOOLEAN
    /\ \A v \in Viewers : seen[v].sessions \subseteq 0..MaxSessions /\ seen[v].ordered \in BOOLEAN
    /\ final \in [1..MaxSessions -> 0..MaxOut]
    /\ alone \in [Viewers -> BOOLEAN]

\* Since its last reset a viewer shows the bytes of one shell, and none that never were.
OneSession == \A v \in Viewers : Cardinality(seen[v].sessions) <= 1 /\ Nothing \notin seen[v].sessions

\* And those without a gap, and none of them twice.
ExactlyOnce == \A v \in Viewers : seen[v].ordered

\* What names the session on the page names the one whose bytes are there.
EpochIsTrue == \A v \in Viewers : \A s \in seen[v].sessions : s # Nothing => page[v].epoch = s

\* Whoever is told that the shell has exited has all that it said.
ExitComesLast == \A v \in Viewers : page[v].exited => \A s \in seen[v].sessions \ {Nothing} : page[v].have = final[s]

WindowIsKept == \A v \in Viewers : On(v) => conn[v].sent - conn[v].acked <= Window

\* Who is the only viewer is waited for.
AloneLosesNothing == \A v \in Viewers : (On(v) /\ alone[v]) => conn[v].sent >= host.lo

\* Who does not keep up holds up nobody who does.
SlowHoldsUpNobody ==
    (~host.over /\ host.hi < MaxOut /\ \E v \in Viewers : On(v) /\ ~Lags(v)) => ENABLED Produce

-----------------------------------------------------------------------------
(***************************************************************************)
(* Who stays connected, takes what arrives and acknowledges it, gets       *)
(* everything, and learns of the exit.                                     *)
(***************************************************************************)

Fairness ==
    \A v \in Viewers :
        /\ WF_vars(Resume(v) \/ Reset(v))
        /\ WF_vars(Send(v) \/ FallBack(v))
        /\ WF_vars(SendExit(v))
        /\ WF_vars(Ignore(v) \/ Receive(v))
        /\ WF_vars(Ack(v))

FairSpec == Spec /\ Fairness

AskIsAnswered == \A v \in Viewers : conn[v].at = "asked" ~> conn[v].at # "asked"

OutputArrives ==
    \A v \in Viewers : (On(v) /\ conn[v].sent < host.hi) ~> (~On(v) \/ page[v].have = host.hi)

ExitArrives == \A v \in Viewers : (On(v) /\ host.over) ~> (~On(v) \/ page[v].exited)

=============================================================================
