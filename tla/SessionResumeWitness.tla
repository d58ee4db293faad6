------------------------ MODULE SessionResumeWitness ------------------------
(***************************************************************************)
(* The moments that SessionResume must be able to get into: that an        *)
(* invariant holds says something only if they are there. Each has a       *)
(* configuration in which its Never... is violated. The design is the one  *)
(* that ships.                                                             *)
(***************************************************************************)
EXTENDS SessionResume

Shows(v) == seen[v].sessions # {}

\* On its second connection a viewer goes on after the bytes of its first.
ResumedInTheMiddle == \E v \in Viewers : On(v) /\ conn[v].n > 1 /\ Shows(v) /\ conn[v].sent > page[v].have
NeverResumedInTheMiddle == ~ResumedInTheMiddle

\* What the last connection had under way arrives when the next one is there, and would fit.
LateBytes ==
    \E v \in Viewers :
        /\ On(v)
        /\ wire[v] # <<>>
        /\ First(v).kind = "data"
        /\ First(v).conn < conn[v].n
        /\ First(v).epoch = page[v].epoch
        /\ First(v).at = page[v].have
NeverLateBytes == ~LateBytes

FellOutWhileAway == \E v \in Viewers : conn[v].at = "asked" /\ Shows(v) /\ page[v].epoch = host.epoch /\ page[v].have < host.lo
NeverFellOutWhileAway == ~FellOutWhileAway

FellOutWhileThere == \E v \in Viewers : On(v) /\ Shows(v) /\ conn[v].sent < host.lo
NeverFellOutWhileThere == ~FellOutWhileThere

ReplacedWhileAway == \E v \in Viewers : conn[v].at = "asked" /\ Shows(v) /\ page[v].epoch # host.epoch /\ page[v].have <= host.hi
NeverReplacedWhileAway == ~ReplacedWhileAway

ExitWhileAway == \E v \in Viewers : conn[v].at = "asked" /\ Shows(v) /\ host.over /\ page[v].have < host.hi
NeverExitWhileAway == ~ExitWhileAway

SlowBesideFast == \E v, w \in Viewers : v # w /\ On(v) /\ On(w) /\ Lags(v) /\ ~Lags(w) /\ Shows(w)
NeverSlowBesideFast == ~SlowBesideFast

=============================================================================
