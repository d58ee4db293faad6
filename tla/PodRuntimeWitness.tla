-------------------------- MODULE PodRuntimeWitness --------------------------
(***************************************************************************)
(* The dangerous moments that PodRuntime must be able to get into: that an *)
(* invariant holds says something only if they are there. Each has a       *)
(* configuration in which its Never... is violated, and the counterexample *)
(* is the shortest way into it. The design is the one that ships.          *)
(***************************************************************************)
EXTENDS PodRuntime

\* Alive, and no marker says that it was set up for its incarnation, by whatever recipe.
Unmarked(p, n) == engine[p][n].box \in {"created", "running"} /\ engine[p][n].marker \notin {n, Old(n)}

-----------------------------------------------------------------------------
(***************************************************************************)
(* Attaching.                                                              *)
(***************************************************************************)

BothTabsAttached ==
    \E p \in Pods : \E c, d \in Clients : c # d /\ client[p][c].term.at = "open" /\ client[p][d].term.at = "open"
NeverBothTabsAttached == ~BothTabsAttached

TwoUsersAttached ==
    \E p, q \in Pods : \E c, d \in Clients : p # q /\ client[p][c].term.at = "open" /\ client[q][d].term.at = "open"
NeverTwoUsersAttached == ~TwoUsersAttached

SleepBetweenProbeAndDial ==
    \E p \in Pods : \E c \in Clients : client[p][c].term.at = "probed" /\ pod[p].ctr = "asleep"
NeverSleepBetweenProbeAndDial == ~SleepBetweenProbeAndDial

SleepBetweenDialAndHandOver ==
    \E p \in Pods : \E c \in Clients : client[p][c].term.at = "dialed" /\ pod[p].ctr = "asleep"
NeverSleepBetweenDialAndHandOver == ~SleepBetweenDialAndHandOver

ContainerDeadUnderTerminal ==
    \E p \in Pods : \E c \in Clients :
        LET t == client[p][c].term IN t.at = "open" /\ Current(p, t.inc) /\ engine[t.pod][t.inc].box = "dead"
NeverContainerDeadUnderTerminal == ~ContainerDeadUnderTerminal

\* Somebody in the terminal has deleted the marker, and the script is at work around them.
MarkerRemovedUnderTerminal ==
    \E p \in Pods : \E c \in Clients :
        LET t == client[p][c].term IN
        t.at = "open" /\ Current(p, t.inc) /\ Unmarked(p, t.inc) /\ run[p][t.inc] = "script" /\ engine[p][t.inc].script = "on"
NeverMarkerRemovedUnderTerminal == ~MarkerRemovedUnderTerminal

-----------------------------------------------------------------------------
(***************************************************************************)
(* Booting, and incarnations that overlap.                                 *)
(***************************************************************************)

StaleReplyWhileNewerBoots ==
    \E p \in Pods : \E n \in Incs : run[p][n] = "ok" /\ n < pod[p].inc /\ pod[p].ctr = "provisioning" /\ run[p][pod[p].inc] # "none"
NeverStaleReplyWhileNewerBoots == ~StaleReplyWhileNewerBoots

DestroyWhileLaunching ==
    \E p \in Pods : \E n \in Incs : pod[p].why = "destroy" /\ tear[p][n] = "remove" /\ run[p][n] \in {"create", "start"}
NeverDestroyWhileLaunching == ~DestroyWhileLaunching

WakeWaitsForRemoval ==
    \E p \in Pods : \E n, m \in Incs : n # m /\ run[p][n] = "create" /\ tear[p][m] = "remove" /\ engine[p][m].box # "none"
NeverWakeWaitsForRemoval == ~WakeWaitsForRemoval

SecondBootOfReadyFailed ==
    \E p \in Pods : \E c \in Clients :
        pod[p].ctr = "ready" /\ run[p][pod[p].inc] = "failed" /\ client[p][c].phase = "booting" /\ client[p][c].bootInc = pod[p].inc
NeverSecondBootOfReadyFailed == ~SecondBootOfReadyFailed

ForeignMarkerWhileScriptRuns ==
    \E p \in Pods : \E n \in Incs : engine[p][n].script = "on" /\ engine[p][n].marker = Foreign
NeverForeignMarkerWhileScriptRuns == ~ForeignMarkerWhileScriptRuns

-----------------------------------------------------------------------------
(***************************************************************************)
(* Crashes. Until the server has looked, the state of the pod is unknown.  *)
(***************************************************************************)

\* What the store says is awake lives, half made or not yet set up.
UnmarkedContainerAtCrash ==
    \E p \in Pods : pod[p].ctr = "unknown" /\ store[p].awake /\ Unmarked(p, store[p].inc)
NeverUnmarkedContainerAtCrash == ~UnmarkedContainerAtCrash

AwakeWithoutContainerAtCrash ==
    \E p \in Pods : pod[p].ctr = "unknown" /\ store[p].awake /\ \A n \in Incs : engine[p][n].box = "none"
NeverAwakeWithoutContainerAtCrash == ~AwakeWithoutContainerAtCrash

\* The end of an incarnation was stored, and the server died before it removed the container, which had been set up.
UnownedContainerAtCrash ==
    \E p \in Pods : \E n \in Incs : pod[p].ctr = "unknown" /\ Vouches(p, n) /\ ~(store[p].awake /\ store[p].inc = n)
NeverUnownedContainerAtCrash == ~UnownedContainerAtCrash

ReadyByEarlierRecipe ==
    \E p \in Pods : pod[p].ctr = "ready" /\ engine[p][pod[p].inc].box = "running" /\ engine[p][pod[p].inc].marker = Old(pod[p].inc)
NeverReadyByEarlierRecipe == ~ReadyByEarlierRecipe

\* A step: nobody waits for the script any more, and it writes its marker.
ScriptGoesOnAfterCrash ==
    \E p \in Pods : \E n \in Incs : pod[p].ctr = "unknown" /\ engine[p][n].script = "on" /\ engine'[p][n].script = "ok" /\ engine'[p][n].marker = n
NeverScriptGoesOnAfterCrash == [][~ScriptGoesOnAfterCrash]_vars

\* A step: the server dies again before it has looked, with a container that it has to find.
CrashBeforeRecovery ==
    crashes' # crashes /\ \E p \in Pods : pod[p].ctr = "unknown" /\ store[p].awake /\ engine[p][store[p].inc].box = "running"
NeverCrashBeforeRecovery == [][~CrashBeforeRecovery]_vars

=============================================================================
