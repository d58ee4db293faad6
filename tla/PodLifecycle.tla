---------------------------- MODULE PodLifecycle ----------------------------
(***************************************************************************)
(* One user's container behind a browser terminal, and the user's browser  *)
(* tabs. Sleep wipes the container's disk, so that every wake is a new     *)
(* incarnation which no boot script has set up. A tab boots once and then  *)
(* reconnects for ever while it merely believes that the container is      *)
(* provisioned. What must not happen: a reconnecting tab is given a shell  *)
(* in a container that the boot script has not set up.                     *)
(*                                                                         *)
(* A conjunct of an enabling condition ends in a comment "guard: name".    *)
(* The table in model/podlifecycle has a guard of that name in the same    *)
(* action and at the same place, and so has the server.                    *)
(*                                                                         *)
(* "vacuous-ok: reason" says why something may be without effect in one of *)
(* the configurations; anything else that is fails the check.              *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    Clients,        \* the browser tabs of one user
    MaxInc,         \* bound on incarnations
    GuardedAttach   \* TRUE: the design that ships; FALSE: an attach wakes the container by itself

ASSUME MaxInc \in Nat
ASSUME GuardedAttach \in BOOLEAN

VARIABLES
    ctr,     \* state of the container of the current incarnation
    inc,     \* number of the current incarnation; 0 = never woken
    client   \* what each tab does, and the incarnations that it booted and attached to

vars == <<ctr, inc, client>>

Awake == ctr # "asleep"

\* Incarnation n, which a tab holds on to, is no longer there. Both disjuncts can be true at once; TLC then generates the
\* successor of an action with this guard twice, and so the table names them too.
Gone(n) ==
    \/ ~Awake                                             \* disjunct: asleep
    \/ n # inc                                            \* disjunct: otherInc

Init ==
    /\ ctr = "asleep"
    /\ inc = 0
    /\ client = [c \in Clients |-> [phase |-> "idle", bootInc |-> 0, attInc |-> 0]]

(***************************************************************************)
(* Booting: what a page load does.                                         *)
(***************************************************************************)

\* Ready stays ready: the marker makes the script a no-op.
StartBoot(c) ==
    /\ client[c].phase = "idle"                           \* guard: idle
    /\ ~Awake => inc < MaxInc                             \* guard: canWake
    /\ inc' = IF Awake THEN inc ELSE inc + 1
    /\ ctr' = IF ctr = "ready" THEN "ready" ELSE "provisioning"
    /\ client' = [client EXCEPT ![c].phase = "booting", ![c].bootInc = inc']

\* The first boot that finishes makes the container ready, also while another boot of it still runs.
FinishBoot(c) ==
    /\ client[c].phase = "booting"                        \* guard: booting
    /\ Awake                                              \* guard: awake
    /\ client[c].bootInc = inc                            \* guard: sameInc
    /\ ctr' = "ready"
    /\ client' = [client EXCEPT ![c].phase = "believes"]
    /\ UNCHANGED inc

\* The boot request failed, because what it booted is gone. The tab shows "boot failed".
BootLost(c) ==
    /\ client[c].phase = "booting"                        \* guard: booting
    /\ Gone(client[c].bootInc)                            \* guard: bootGone
    /\ client' = [client EXCEPT ![c].phase = "idle"]
    /\ UNCHANGED <<ctr, inc>>

(***************************************************************************)
(* Attaching: what a terminal does, at first and whenever its socket dies. *)
(***************************************************************************)

AttachReady(c) ==
    /\ client[c].phase = "believes"                       \* guard: believes
    /\ ctr = "ready"                                      \* guard: ready
    /\ client' = [client EXCEPT ![c].phase = "attached", ![c].attInc = inc]
    /\ UNCHANGED <<ctr, inc>>

\* The bug: the terminal endpoint wakes a container that nothing has set up.
\* vacuous-ok: the design that ships never does it
AttachWakesFresh(c) ==
    /\ ~GuardedAttach  (* vacuous-ok: chooses a design *) \* guard: unguarded
    /\ client[c].phase = "believes"                       \* guard: believes
    /\ ~Awake                                             \* guard: asleep
    /\ inc < MaxInc                                       \* guard: belowMaxInc
    /\ inc' = inc + 1
    /\ ctr' = "fresh"
    /\ client' = [client EXCEPT ![c].phase = "attached", ![c].attInc = inc']

\* vacuous-ok: the design that ships never does it
AttachAwakeNotReady(c) ==
    /\ ~GuardedAttach  (* vacuous-ok: chooses a design *) \* guard: unguarded
    /\ client[c].phase = "believes"                       \* guard: believes
    /\ ctr \in {"fresh", "provisioning"}                  \* guard: awakeNotReady
    /\ client' = [client EXCEPT ![c].phase = "attached", ![c].attInc = inc]
    /\ UNCHANGED <<ctr, inc>>

\* The guard refuses, and the tab goes back through the boot flow.
\* vacuous-ok: the design with the bug never does it
AttachGuarded(c) ==
    /\ GuardedAttach   (* vacuous-ok: chooses a design *) \* guard: guarded
    /\ client[c].phase = "believes"                       \* guard: believes
    /\ ctr # "ready"                                      \* guard: notReady
    /\ client' = [client EXCEPT ![c].phase = "idle"]
    /\ UNCHANGED <<ctr, inc>>

\* The socket died with the container; the tab tries again.
Reconnect(c) ==
    /\ client[c].phase = "attached"                       \* guard: attached
    /\ Gone(client[c].attInc)                             \* guard: attachGone
    /\ client' = [client EXCEPT ![c].phase = "believes"]
    /\ UNCHANGED <<ctr, inc>>

(***************************************************************************)
(* The idle timeout, and "reset pod". The tabs keep what they believe.     *)
(***************************************************************************)
Sleep ==
    /\ Awake                                              \* guard: awake
    /\ ctr' = "asleep"
    /\ UNCHANGED <<inc, client>>

Next ==
    \/ \E c \in Clients :
        \/ StartBoot(c)
        \/ FinishBoot(c)
        \/ BootLost(c)
        \/ AttachReady(c)
        \/ AttachWakesFresh(c)
        \/ AttachAwakeNotReady(c)
        \/ AttachGuarded(c)
        \/ Reconnect(c)
    \/ Sleep

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

TypeOK ==
    /\ ctr \in {"asleep", "fresh", "provisioning", "ready"}
    /\ inc \in 0..MaxInc
    /\ client \in [Clients -> [phase   : {"idle", "booting", "believes", "attached"},
                               bootInc : 0..MaxInc,
                               attInc  : 0..MaxInc]]

\* A terminal that is live is in a container that the boot script has set up.
NoAttachWithoutShellSetup ==
    \A c \in Clients :
        (client[c].phase = "attached" /\ Awake /\ client[c].attInc = inc) => ctr = "ready"

\* A tab whose boot of this very incarnation succeeded never finds it unready, whoever else boots it.
BootIdempotent ==
    \A c \in Clients :
        (client[c].phase \in {"believes", "attached"} /\ Awake /\ client[c].bootInc = inc) => ctr = "ready"

=============================================================================
