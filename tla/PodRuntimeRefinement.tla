------------------------ MODULE PodRuntimeRefinement ------------------------
(***************************************************************************)
(* PodRuntime does what PodLifecycle allows, and nothing else, as far as   *)
(* one can see from outside.                                               *)
(*                                                                         *)
(* A crash of the server is not seen from outside until the server says    *)
(* what has become of the pod: until then the pod is what it was. A tab    *)
(* that comes back after a crash is a new client: what the server knew of  *)
(* it is gone. The one before stays where it was, and was answered if its  *)
(* boot had in truth succeeded.                                            *)
(***************************************************************************)
EXTENDS PodRuntime

VARIABLE past   \* history: what the pod and its tabs were when the server died

Lives == 0..MaxCrashes

Tab(p, c) == [phase |-> client[p][c].phase, bootInc |-> client[p][c].bootInc, attInc |-> client[p][c].attInc]

Ctr(p) == IF pod[p].ctr = "unknown" THEN past[p].ctr ELSE pod[p].ctr
Inc(p) == IF pod[p].ctr = "unknown" THEN past[p].inc ELSE pod[p].inc

\* The clients of all lives of the server.
Tabs(p) == [t \in Clients \X Lives |-> IF t[2] = crashes THEN Tab(p, t[1]) ELSE past[p].tabs[t]]

InitPast ==
    past = [p \in Pods |-> [ctr |-> "asleep", inc |-> 0,
                            tabs |-> [t \in Clients \X Lives |-> [phase |-> "idle", bootInc |-> 0, attInc |-> 0]]]]

\* A boot that was under way when the server died has succeeded if the server finds it so: for one who waited for it.
Answered(p) ==
    LET waiting == {t \in Clients \X Lives : past[p].tabs[t].phase = "booting" /\ past[p].tabs[t].bootInc = past[p].inc}
    IN  IF past[p].ctr = "ready" \/ waiting = {} THEN past[p]
        ELSE [past[p] EXCEPT !.tabs[CHOOSE t \in waiting : TRUE].phase = "believes"]

NextPast ==
    past' = IF crashes' # crashes
            THEN [p \in Pods |-> [ctr |-> Ctr(p), inc |-> Inc(p), tabs |-> Tabs(p)]]
            ELSE [p \in Pods |-> IF pod[p].ctr = "unknown" /\ pod'[p].ctr = "ready" THEN Answered(p) ELSE past[p]]

SpecWithPast == Init /\ InitPast /\ [][Next /\ NextPast]_<<vars, past>>

Outside(p) == INSTANCE PodLifecycle WITH
    Clients <- Clients \X Lives, GuardedAttach <- TRUE,
    ctr <- Ctr(p), inc <- Inc(p), client <- Tabs(p)

Refines == \A p \in Pods : Outside(p)!Spec

=============================================================================
