----------------------------- MODULE PodRuntime -----------------------------
(***************************************************************************)
(* The steps that the server really takes, beside what is really the case. *)
(* PodLifecycle is the contract with the outside; here is how it is kept:  *)
(* what the server knows (lost when it dies), what its store holds (kept), *)
(* what the engine has, and what the boot script has truly done in each    *)
(* container. The server decides by the first two alone; the invariants    *)
(* judge it by the last two.                                               *)
(*                                                                         *)
(* A guard is written Guard("Action.guard", condition) and ends in a       *)
(* comment with its name. Naming it in the constant Off switches it off:   *)
(* each has a configuration in tla/configs, which something must violate.  *)
(* A rule is the same for an effect: Rule("Action.rule") is FALSE where it *)
(* is off. A condition without Guard says where the action is in the       *)
(* course of things, or what the world has done; the server does not       *)
(* choose it, and so it cannot be left out.                                *)
(*                                                                         *)
(* A container is identified by its pod and the number of its incarnation, *)
(* which is in its name and its labels.                                    *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Pods,         \* each belongs to one user
    Clients,      \* the tabs of each user
    MaxInc,       \* bound on incarnations
    MaxCrashes,   \* bound on crashes of the server
    ImageMarked,  \* TRUE: the image was made from a container that had been provisioned, so it carries a marker
    Off           \* the guards and rules that are switched off; {} in the design that ships

ASSUME MaxInc \in Nat /\ MaxCrashes \in Nat
ASSUME ImageMarked \in BOOLEAN
ASSUME IsFiniteSet(Off)

VARIABLES
    pod,      \* volatile: what the server holds for the state of the pod
    run,      \* volatile: the boot run of each incarnation
    tear,     \* volatile: the removals that the server has still to do
    client,   \* volatile: what each tab does, and its terminal
    store,    \* durable: the record of the pod
    engine,   \* truth: the container of each incarnation
    done,     \* truth, history: incarnations in which every step of the script has been done
    woken,    \* truth, history: how often each number was given to an incarnation
    settled,  \* truth, history: the highest incarnation that a destroy has called gone
    crashes   \* how often the server died

vars == <<pod, run, tear, client, store, engine, done, woken, settled, crashes>>

Incs == 1..MaxInc

Guard(name, condition) == name \notin Off => condition
Rule(name) == name \notin Off

(***************************************************************************)
(* A marker names the incarnation that it was written for and the recipe   *)
(* (the boot script with all that is configured for it): n stands for      *)
(* incarnation n and the recipe of now, Old(n) for n and an earlier one.   *)
(* Foreign names no incarnation of this pod; 0 is no marker.               *)
(***************************************************************************)
Foreign == MaxInc + 1
Old(n) == Foreign + n
Markers == 0..Foreign + MaxInc

NoContainer == [box |-> "none", setup |-> "none", marker |-> 0, script |-> "off"]

\* Nobody starts a container that has died, so what is on its disk no longer counts.
Dead == [NoContainer EXCEPT !.box = "dead"]

\* No terminal.
Nowhere(p) == [at |-> "none", pod |-> p, inc |-> 0]

Awake(p) == pod[p].ctr \in {"provisioning", "ready"}

Current(p, n) == Awake(p) /\ pod[p].inc = n

\* The marker says that n was set up, and by what is configured now.
Vouches(p, n) == engine[p][n].box = "running" /\ engine[p][n].marker = n

Init ==
    /\ pod = [p \in Pods |-> [ctr |-> "asleep", inc |-> 0, why |-> "none"]]
    /\ run = [p \in Pods |-> [n \in Incs |-> "none"]]
    /\ tear = [p \in Pods |-> [n \in Incs |-> "none"]]
    /\ client = [p \in Pods |-> [c \in Clients |-> [phase |-> "idle", bootInc |-> 0, attInc |-> 0, term |-> Nowhere(p)]]]
    /\ store = [p \in Pods |-> [inc |-> 0, awake |-> FALSE]]
    /\ engine = [p \in Pods |-> [n \in Incs |-> NoContainer]]
    /\ done = [p \in Pods |-> {}]
    /\ woken = [p \in Pods |-> [n \in Incs |-> 0]]
    /\ settled = [p \in Pods |-> 0]
    /\ crashes = 0

(***************************************************************************)
(* A boot request wakes the pod or joins what is under way.                *)
(***************************************************************************)

StartBoot(p, c) ==
    LET wake == ~Awake(p)
        n == IF wake THEN pod[p].inc + 1 ELSE pod[p].inc
    IN  /\ Guard("StartBoot.known", pod[p].ctr # "unknown")                       \* guard: known
        /\ Guard("StartBoot.idle", client[p][c].phase = "idle")                   \* guard: idle
        /\ n <= MaxInc                                                            \* guard: canWake
        /\ pod' = [pod EXCEPT ![p] = [ctr |-> IF @.ctr = "ready" THEN "ready" ELSE "provisioning", inc |-> n, why |-> "none"]]
        /\ store' = IF wake /\ Rule("StartBoot.stored") THEN [store EXCEPT ![p] = [inc |-> n, awake |-> TRUE]] ELSE store
        /\ run' = [run EXCEPT ![p][n] = IF wake THEN "create" ELSE IF @ = "none" THEN "begin" ELSE @]
        /\ woken' = IF wake THEN [woken EXCEPT ![p][n] = IF @ = 2 THEN 2 ELSE @ + 1] ELSE woken
        /\ client' = [client EXCEPT ![p][c].phase = "booting", ![p][c].bootInc = n]
        /\ UNCHANGED <<tear, engine, done, settled, crashes>>

\* The container of an incarnation is made only when that of every other one of the pod is gone.
CreateContainer(p, n) ==
    /\ run[p][n] = "create"                                                       \* guard: creating
    /\ Guard("CreateContainer.alone", \A m \in Incs \ {n} : engine[p][m].box = "none")  (* vacuous-ok: needs two incarnations *) \* guard: alone
    /\ engine' = [engine EXCEPT ![p][n] = [NoContainer EXCEPT !.box = "created", !.marker = IF ImageMarked THEN Foreign ELSE 0]]
    /\ run' = [run EXCEPT ![p][n] = "start"]
    /\ UNCHANGED <<pod, tear, client, store, done, woken, settled, crashes>>

StartContainer(p, n) ==
    /\ run[p][n] = "start"                                                        \* guard: starting
    /\ engine[p][n].box = "created"  (* vacuous-ok: TearDown.launched keeps it *) \* guard: created
    /\ engine' = [engine EXCEPT ![p][n].box = "running"]
    /\ run' = [run EXCEPT ![p][n] = "begin"]
    /\ UNCHANGED <<pod, tear, client, store, done, woken, settled, crashes>>

\* A full disk, a missing image: the engine refuses. What it may have left is the teardown's.
LaunchFails(p, n) ==
    /\ run[p][n] \in {"create", "start"}                                          \* guard: launching
    /\ run' = [run EXCEPT ![p][n] = "failed"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

(***************************************************************************)
(* The script, inside the container. It goes on when the server dies.      *)
(***************************************************************************)

BeginScript(p, n) ==
    /\ run[p][n] = "begin"                                                        \* guard: beginning
    /\ engine[p][n].box = "running"                                               \* guard: running
    /\ engine' = [engine EXCEPT ![p][n].script = "on"]
    /\ run' = [run EXCEPT ![p][n] = "script"]
    /\ UNCHANGED <<pod, tear, client, store, done, woken, settled, crashes>>

\* The marker vouches: there is nothing to do.
ScriptSkips(p, n) ==
    /\ engine[p][n].script = "on"                                                 \* guard: on
    /\ engine[p][n].marker # 0  (* vacuous-ok: what is left where ownMarker is off *) \* guard: marked
    /\ Guard("ScriptSkips.ownMarker", engine[p][n].marker = n)                    \* guard: ownMarker
    /\ engine' = [engine EXCEPT ![p][n].script = "ok"]
    /\ UNCHANGED <<pod, run, tear, client, store, done, woken, settled, crashes>>

\* One of the steps, or the last of them.
ScriptWorks(p, n) ==
    /\ engine[p][n].script = "on"                                                 \* guard: on
    /\ engine[p][n].setup # "all"                                                 \* guard: notAll
    /\ engine' = [engine EXCEPT ![p][n].setup = IF @ = "none" THEN "part" ELSE "all"]
    /\ done' = IF engine'[p][n].setup = "all" THEN [done EXCEPT ![p] = @ \union {n}] ELSE done
    /\ UNCHANGED <<pod, run, tear, client, store, woken, settled, crashes>>

\* The marker is the last thing that the script writes.
ScriptMarks(p, n) ==
    /\ engine[p][n].script = "on"                                                 \* guard: on
    /\ engine[p][n].marker # n                                                    \* guard: notMarked
    /\ Guard("ScriptMarks.allDone", engine[p][n].setup = "all")                   \* guard: allDone
    /\ engine' = [engine EXCEPT ![p][n].marker = n, ![p][n].script = "ok"]
    /\ UNCHANGED <<pod, run, tear, client, store, done, woken, settled, crashes>>

\* A step fails, hangs until the time limit, or is killed.
ScriptFails(p, n) ==
    /\ engine[p][n].script = "on"                                                 \* guard: on
    /\ engine' = [engine EXCEPT ![p][n].script = "failed"]
    /\ UNCHANGED <<pod, run, tear, client, store, done, woken, settled, crashes>>

\* The exit code arrives; until the pod has taken it, it is a reply in flight.
ScriptSucceeded(p, n) ==
    /\ run[p][n] = "script"                                                       \* guard: waiting
    /\ engine[p][n].script \in {"ok", "failed"}  (* vacuous-ok: what is left where exitZero is off *) \* guard: exited
    /\ Guard("ScriptSucceeded.exitZero", engine[p][n].script = "ok")              \* guard: exitZero
    /\ run' = [run EXCEPT ![p][n] = "ok"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

ScriptFailed(p, n) ==
    /\ run[p][n] = "script"                                                       \* guard: waiting
    /\ engine[p][n].script = "failed"                                             \* guard: exitNonZero
    /\ run' = [run EXCEPT ![p][n] = "failed"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

\* The container went away under the script, or before it.
ScriptGone(p, n) ==
    /\ run[p][n] \in {"begin", "script"}                                          \* guard: waiting
    /\ Guard("ScriptGone.reallyGone", engine[p][n].box # "running")               \* guard: reallyGone
    /\ run' = [run EXCEPT ![p][n] = "gone"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

(***************************************************************************)
(* The pod takes the reply of run n. A run whose incarnation is over may   *)
(* reply at any time, also while its successor boots.                      *)
(***************************************************************************)

\* A second boot of a ready pod that fails leaves it as ready as it was.
Answers(p, n) == run[p][n] = "ok" \/ (run[p][n] = "failed" /\ pod[p].ctr = "ready")

FinishBoot(p, c, n) ==
    /\ Answers(p, n)                                                              \* guard: replied
    /\ client[p][c].phase = "booting"                                             \* guard: booting
    /\ Guard("FinishBoot.awake", Awake(p))                                        \* guard: awake
    /\ Guard("FinishBoot.sameInc", n = pod[p].inc)                                \* guard: sameInc
    /\ Guard("FinishBoot.ownBoot", client[p][c].bootInc = pod[p].inc)  (* vacuous-ok: needs two tabs *) \* guard: ownBoot
    /\ pod' = [pod EXCEPT ![p].ctr = "ready", ![p].why = "none"]
    /\ client' = [client EXCEPT ![p][c].phase = "believes"]
    /\ UNCHANGED <<run, tear, store, engine, done, woken, settled, crashes>>

\* Everybody who waits has been answered.
EndRun(p, n) ==
    /\ Answers(p, n)                                                              \* guard: replied
    /\ Current(p, n)                                                              \* guard: sameInc
    /\ Guard("EndRun.allAnswered", \A c \in Clients : ~(client[p][c].phase = "booting" /\ client[p][c].bootInc = n))  \* guard: allAnswered
    /\ run' = [run EXCEPT ![p][n] = "none"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

\* The late reply of an incarnation that is over is dropped.
DropReply(p, n) ==
    /\ run[p][n] \in {"create", "begin", "ok", "failed", "gone"}                  \* guard: between
    /\ Guard("DropReply.over", ~Current(p, n))                                    \* guard: over
    /\ run' = [run EXCEPT ![p][n] = "none"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

BootLost(p, c) ==
    /\ client[p][c].phase = "booting"                                             \* guard: booting
    /\ Guard("BootLost.bootGone", ~Current(p, client[p][c].bootInc))              \* guard: bootGone
    /\ client' = [client EXCEPT ![p][c].phase = "idle"]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

(***************************************************************************)
(* The ways to fall asleep. What cannot be stored does not happen; the     *)
(* container goes after that.                                              *)
(***************************************************************************)

FallAsleep(p, why, stored) ==
    /\ pod' = [pod EXCEPT ![p].ctr = "asleep", ![p].why = why]
    /\ store' = IF Rule(stored) THEN [store EXCEPT ![p].awake = FALSE] ELSE store
    /\ tear' = [tear EXCEPT ![p][pod[p].inc] = "remove"]

Destroy(p) ==
    /\ Guard("Destroy.awake", Awake(p))                                           \* guard: awake
    /\ FallAsleep(p, "destroy", "Destroy.stored")
    /\ UNCHANGED <<run, client, engine, done, woken, settled, crashes>>

IdleSleep(p) ==
    /\ Awake(p)                                                                   \* guard: awake
    /\ Guard("IdleSleep.noTerminal", \A c \in Clients : client[p][c].term.at # "open")  \* guard: noTerminal
    /\ Guard("IdleSleep.noRun", run[p][pod[p].inc] = "none")                      \* guard: noRun
    /\ FallAsleep(p, "idle", "IdleSleep.stored")
    /\ UNCHANGED <<run, client, engine, done, woken, settled, crashes>>

\* The engine lost the container: killed, out of memory, removed by hand.
ContainerLost(p) ==
    /\ Awake(p)                                                                   \* guard: awake
    /\ run[p][pod[p].inc] \notin {"create", "start"}                              \* guard: launched
    /\ Guard("ContainerLost.reallyDead", engine[p][pod[p].inc].box # "running")   \* guard: reallyDead
    /\ FallAsleep(p, "lost", "ContainerLost.stored")
    /\ UNCHANGED <<run, client, engine, done, woken, settled, crashes>>

BootFailed(p, n) ==
    /\ run[p][n] \in {"failed", "gone"}                                           \* guard: failed
    /\ Guard("BootFailed.sameInc", n = pod[p].inc)                                \* guard: sameInc
    /\ Awake(p)                                                                   \* guard: awake
    /\ Guard("BootFailed.notReady", run[p][n] = "failed" => pod[p].ctr # "ready")  \* guard: notReady
    /\ FallAsleep(p, IF run[p][n] = "gone" THEN "lost" ELSE "failed", "BootFailed.stored")
    /\ run' = [run EXCEPT ![p][n] = "none"]
    /\ UNCHANGED <<client, engine, done, woken, settled, crashes>>

\* A launch that is under way is waited for, or else its container would come after it was looked for.
TearDown(p, n) ==
    /\ tear[p][n] = "remove"                                                      \* guard: decided
    /\ Guard("TearDown.launched", run[p][n] \notin {"create", "start"})           \* guard: launched
    /\ engine' = [engine EXCEPT ![p][n] = NoContainer]
    /\ tear' = [tear EXCEPT ![p][n] = "none"]
    /\ UNCHANGED <<pod, run, client, store, done, woken, settled, crashes>>

\* A call of destroy is answered: container and disk are gone.
DestroyAnswered(p) ==
    /\ Guard("DestroyAnswered.asleep", pod[p].ctr = "asleep")                     \* guard: asleep
    /\ Guard("DestroyAnswered.removed", \A n \in Incs : tear[p][n] = "none")      \* guard: removed
    /\ settled[p] # pod[p].inc                                                    \* guard: new
    /\ settled' = [settled EXCEPT ![p] = pod[p].inc]
    /\ UNCHANGED <<pod, run, tear, client, store, engine, done, woken, crashes>>

(***************************************************************************)
(* Attaching. The probe pins the terminal to an incarnation; the shell is  *)
(* started in exactly its container, by a process that looks at the marker *)
(* first; then the pod is asked again.                                     *)
(***************************************************************************)

\* That it is ready is no guard: it spares a dial which AttachReady.ready would refuse.
Probe(p, c, q) ==
    /\ client[p][c].phase \in {"believes", "attached"}                            \* guard: booted
    /\ client[p][c].term.at = "none"                                              \* guard: noTerminal
    /\ Guard("Probe.ownPod", q = p)  (* vacuous-ok: needs two pods *) \* guard: ownPod
    /\ pod[q].ctr = "ready"                                                       \* guard: ready
    /\ client' = [client EXCEPT ![p][c].term = [at |-> "probed", pod |-> q, inc |-> pod[q].inc]]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* Not ready: back through the boot.
AttachGuarded(p, c) ==
    /\ client[p][c].phase = "believes"                                            \* guard: believes
    /\ Guard("AttachGuarded.notReady", pod[p].ctr # "ready")                      \* guard: notReady
    /\ client' = [client EXCEPT ![p][c].phase = "idle", ![p][c].term = Nowhere(p)]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* In the container: is the marker that of the incarnation that was probed?
Dial(p, c) ==
    LET t == client[p][c].term IN
    /\ t.at = "probed"                                                            \* guard: probed
    /\ engine[t.pod][t.inc].box = "running"  (* vacuous-ok: what is left where marker is off *) \* guard: running
    /\ Guard("Dial.marker", engine[t.pod][t.inc].marker = t.inc)                  \* guard: marker
    /\ client' = [client EXCEPT ![p][c].term.at = "dialed"]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* The bug that started it: a dial that wakes what it does not find.
\* vacuous-ok: never in the design that ships
DialWakes(p, c) ==
    LET t == client[p][c].term IN
    /\ ~Rule("Dial.neverWakes")    (* vacuous-ok: chooses a design *)             \* guard: wakes
    /\ t.at = "probed"                                                            \* guard: probed
    /\ engine[t.pod][t.inc].box # "running"                                       \* guard: notRunning
    /\ engine' = [engine EXCEPT ![t.pod][t.inc] = [NoContainer EXCEPT !.box = "running"]]
    /\ client' = [client EXCEPT ![p][c].term.at = "dialed"]
    /\ UNCHANGED <<pod, run, tear, store, done, woken, settled, crashes>>

\* No container, no marker, an engine that cannot be asked, a client that gave up.
DialFails(p, c) ==
    /\ client[p][c].term.at = "probed"                                            \* guard: probed
    /\ client' = [client EXCEPT ![p][c].term = Nowhere(p)]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* A ready container whose marker is gone is set up again in place, before anybody gets in.
Repair(p) ==
    /\ pod[p].ctr = "ready"                                                       \* guard: ready
    /\ run[p][pod[p].inc] = "none"                                                \* guard: noRun
    /\ engine[p][pod[p].inc].box = "running"                                      \* guard: running
    /\ engine[p][pod[p].inc].marker # pod[p].inc                                  \* guard: notVouched
    /\ run' = [run EXCEPT ![p][pod[p].inc] = "begin"]
    /\ UNCHANGED <<pod, tear, client, store, engine, done, woken, settled, crashes>>

SamePlace(p, c) == client[p][c].term.inc = pod[client[p][c].term.pod].inc

AttachReady(p, c) ==
    /\ client[p][c].phase = "believes"                                            \* guard: believes
    /\ client[p][c].term.at = "dialed"                                            \* guard: dialed
    /\ Guard("AttachReady.ready", pod[client[p][c].term.pod].ctr = "ready")       \* guard: ready
    /\ Guard("AttachReady.sameInc", SamePlace(p, c))  (* vacuous-ok: needs two tabs *) \* guard: sameInc
    /\ client' = [client EXCEPT ![p][c].phase = "attached", ![p][c].attInc = client[p][c].term.inc, ![p][c].term.at = "open"]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* Another terminal of a tab that has been attached to this incarnation.
AttachAgain(p, c) ==
    /\ client[p][c].phase = "attached"                                            \* guard: attached
    /\ client[p][c].term.at = "dialed"                                            \* guard: dialed
    /\ Guard("AttachAgain.ready", pod[client[p][c].term.pod].ctr = "ready")       \* guard: ready
    /\ Guard("AttachAgain.sameInc", SamePlace(p, c))  (* vacuous-ok: needs two tabs *) \* guard: sameInc
    /\ client' = [client EXCEPT ![p][c].term.at = "open"]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* The incarnation was over before the shell was handed over: the shell is closed.
AttachMoved(p, c) ==
    /\ client[p][c].term.at = "dialed"                                            \* guard: dialed
    /\ ~(SamePlace(p, c) /\ pod[client[p][c].term.pod].ctr = "ready")             \* guard: moved
    /\ client' = [client EXCEPT ![p][c].term = Nowhere(p)]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* The user leaves, the socket dies, or the shell exits.
Detach(p, c) ==
    /\ client[p][c].term.at = "open"                                              \* guard: open
    /\ client' = [client EXCEPT ![p][c].term = Nowhere(p)]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

\* The incarnation is over, and its terminals with it.
Reconnect(p, c) ==
    /\ client[p][c].phase = "attached"                                            \* guard: attached
    /\ Guard("Reconnect.attachGone", ~Current(p, client[p][c].attInc))            \* guard: attachGone
    /\ client' = [client EXCEPT ![p][c].phase = "believes", ![p][c].term = Nowhere(p)]
    /\ UNCHANGED <<pod, run, tear, store, engine, done, woken, settled, crashes>>

(***************************************************************************)
(* The world.                                                              *)
(***************************************************************************)

ContainerDies(p, n) ==
    /\ engine[p][n].box = "running"                                               \* guard: running
    /\ engine' = [engine EXCEPT ![p][n] = Dead]
    /\ UNCHANGED <<pod, run, tear, client, store, done, woken, settled, crashes>>

\* The user is root in the container.
MarkerRemoved(p, n) ==
    /\ engine[p][n].marker = n                                                    \* guard: marked
    /\ engine' = [engine EXCEPT ![p][n].marker = 0]
    /\ UNCHANGED <<pod, run, tear, client, store, done, woken, settled, crashes>>

Forgotten ==
    /\ crashes < MaxCrashes
    /\ crashes' = crashes + 1
    /\ pod' = [p \in Pods |-> [ctr |-> "unknown", inc |-> 0, why |-> "none"]]
    /\ run' = [p \in Pods |-> [n \in Incs |-> "none"]]
    /\ tear' = [p \in Pods |-> [n \in Incs |-> "none"]]
    /\ client' = [p \in Pods |-> [c \in Clients |-> [phase |-> "idle", bootInc |-> 0, attInc |-> 0, term |-> Nowhere(p)]]]
    /\ UNCHANGED <<store, done, woken, settled>>

\* Whatever the server knew is lost; containers, their scripts and the store go on.
Crash ==
    /\ Forgotten                                                                  \* guard: mayCrash
    /\ UNCHANGED engine

\* It is started again with another recipe: nothing is set up by that, and the markers name the one before.
CrashOtherRecipe ==
    /\ Forgotten                                                                  \* guard: mayCrash
    /\ engine' = [p \in Pods |-> [n \in Incs |->
                    [engine[p][n] EXCEPT !.setup = IF @ = "all" THEN "part" ELSE @,
                                         !.marker = IF @ = n THEN Old(n) ELSE @]]]

(***************************************************************************)
(* After a start the server goes by its store, and looks at the engine and *)
(* the markers. Until it has, the state of the pod is unknown.             *)
(***************************************************************************)

(***************************************************************************)
(* What was stored as awake, lives, and was set up is adopted as ready,    *)
(* also if that was by an earlier recipe: the marker lets nobody in, and   *)
(* the next boot or attach runs the script in place. No other container of *)
(* the pod exists then, which is CreateContainer.alone.                    *)
(***************************************************************************)
RecoverReady(p) ==
    LET n == store[p].inc IN
    /\ pod[p].ctr = "unknown"                                                     \* guard: unknown
    /\ n # 0  (* vacuous-ok: what is left where storedAwake is off *) \* guard: woken
    /\ Guard("RecoverReady.storedAwake", store[p].awake)                          \* guard: storedAwake
    /\ engine[p][n].box = "running"  (* vacuous-ok: what is left where marker is off *) \* guard: running
    /\ Guard("RecoverReady.marker", engine[p][n].marker \in {n, Old(n)})          \* guard: marker
    /\ pod' = [pod EXCEPT ![p] = [ctr |-> "ready", inc |-> n, why |-> "none"]]
    /\ UNCHANGED <<run, tear, client, store, engine, done, woken, settled, crashes>>

Adoptable(p) ==
    LET n == store[p].inc IN
    /\ store[p].awake
    /\ n # 0
    /\ engine[p][n].box = "running"
    /\ engine[p][n].marker \in {n, Old(n)}

\* Everything else that the engine has of the pod goes.
RecoverAsleep(p) ==
    LET n == store[p].inc IN
    /\ pod[p].ctr = "unknown"                                                     \* guard: unknown
    /\ Guard("RecoverAsleep.notReady", ~Adoptable(p))                 \* guard: notReady
    /\ pod' = [pod EXCEPT ![p] = [ctr |-> "asleep", inc |-> n, why |-> IF store[p].awake THEN "lost" ELSE "none"]]
    /\ store' = IF Rule("RecoverAsleep.stored") THEN [store EXCEPT ![p].awake = FALSE] ELSE store
    /\ tear' = [tear EXCEPT ![p] = [m \in Incs |->
                   IF Rule("RecoverAsleep.removesAll") /\ engine[p][m].box # "none" THEN "remove" ELSE "none"]]
    /\ UNCHANGED <<run, client, engine, done, woken, settled, crashes>>

-----------------------------------------------------------------------------

Next ==
    \/ \E p \in Pods :
        \/ \E c \in Clients :
            \/ StartBoot(p, c)
            \/ \E n \in Incs : FinishBoot(p, c, n)
            \/ BootLost(p, c)
            \/ \E q \in Pods : Probe(p, c, q)
            \/ AttachGuarded(p, c)
            \/ Dial(p, c)
            \/ DialWakes(p, c)
            \/ DialFails(p, c)
            \/ AttachReady(p, c)
            \/ AttachAgain(p, c)
            \/ AttachMoved(p, c)
            \/ Detach(p, c)
            \/ Reconnect(p, c)
        \/ \E n \in Incs :
            \/ CreateContainer(p, n)
            \/ StartContainer(p, n)
            \/ LaunchFails(p, n)
            \/ BeginScript(p, n)
            \/ ScriptSkips(p, n)
            \/ ScriptWorks(p, n)
            \/ ScriptMarks(p, n)
            \/ ScriptFails(p, n)
            \/ ScriptSucceeded(p, n)
            \/ ScriptFailed(p, n)
            \/ ScriptGone(p, n)
            \/ EndRun(p, n)
            \/ DropReply(p, n)
            \/ BootFailed(p, n)
            \/ TearDown(p, n)
            \/ ContainerDies(p, n)
            \/ MarkerRemoved(p, n)
        \/ Destroy(p)
        \/ IdleSleep(p)
        \/ ContainerLost(p)
        \/ DestroyAnswered(p)
        \/ Repair(p)
        \/ RecoverReady(p)
        \/ RecoverAsleep(p)
    \/ Crash
    \/ CrashOtherRecipe

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must hold, judged by the truth.                                    *)
(***************************************************************************)

TypeOK ==
    /\ pod \in [Pods -> [ctr : {"unknown", "asleep", "provisioning", "ready"}, inc : 0..MaxInc,
                         why : {"none", "destroy", "idle", "lost", "failed"}]]
    /\ run \in [Pods -> [Incs -> {"none", "create", "start", "begin", "script", "ok", "failed", "gone"}]]
    /\ tear \in [Pods -> [Incs -> {"none", "remove"}]]
    /\ \A p \in Pods : \A c \in Clients :
        /\ client[p][c].phase \in {"idle", "booting", "believes", "attached"}
        /\ client[p][c].bootInc \in 0..MaxInc
        /\ client[p][c].attInc \in 0..MaxInc
        /\ client[p][c].term.at \in {"none", "probed", "dialed", "open"}
        /\ client[p][c].term.pod \in Pods
        /\ client[p][c].term.inc \in 0..MaxInc
    /\ store \in [Pods -> [inc : 0..MaxInc, awake : BOOLEAN]]
    /\ engine \in [Pods -> [Incs -> [box : {"none", "created", "running", "dead"}, setup : {"none", "part", "all"},
                                     marker : Markers, script : {"off", "on", "ok", "failed"}]]]
    /\ done \in [Pods -> SUBSET Incs]
    /\ woken \in [Pods -> [Incs -> 0..2]]
    /\ settled \in [Pods -> 0..MaxInc]
    /\ crashes \in 0..MaxCrashes

\* A terminal that is open leads into a container in which every step of the script has been done.
NoAttachWithoutShellSetup ==
    \A p \in Pods : \A c \in Clients :
        LET t == client[p][c].term IN
        (t.at = "open" /\ engine[t.pod][t.inc].box = "running") => engine[t.pod][t.inc].setup = "all"

\* A tab whose boot of this very incarnation succeeded never finds it unready.
BootIdempotent ==
    \A p \in Pods : \A c \in Clients :
        (client[p][c].phase \in {"believes", "attached"} /\ Current(p, client[p][c].bootInc)) => pod[p].ctr = "ready"

\* "ready" is more than a label.
ReadyMeansProvisioned ==
    \A p \in Pods : pod[p].ctr = "ready" => pod[p].inc \in done[p]

MarkerMeansProvisioned ==
    \A p \in Pods : \A n \in Incs : Vouches(p, n) => engine[p][n].setup = "all"

OneContainerPerPod ==
    \A p \in Pods : Cardinality({n \in Incs : engine[p][n].box # "none"}) <= 1

\* Whenever the server knows a pod, each container of it is that of the current incarnation, or is about to be removed.
NoContainerUnowned ==
    \A p \in Pods : \A n \in Incs :
        (pod[p].ctr # "unknown" /\ engine[p][n].box # "none") => (Current(p, n) \/ tear[p][n] = "remove")

\* What a destroy has called gone does not exist, then and later.
DestroyedStaysDestroyed ==
    \A p \in Pods : \A n \in Incs : n <= settled[p] => engine[p][n].box = "none"

\* The idle sweep ends no terminal and no boot.
NoSleepUnderAttach ==
    \A p \in Pods : pod[p].why = "idle" =>
        /\ \A c \in Clients : ~(client[p][c].term.at = "open" /\ client[p][c].term.inc = pod[p].inc)
        /\ pod[p].inc \in Incs => run[p][pod[p].inc] = "none"

\* What the server goes by is what it would find after a crash.
StoreAgrees ==
    \A p \in Pods : pod[p].ctr # "unknown" => store[p] = [inc |-> pod[p].inc, awake |-> Awake(p)]

\* Whoever waits for a boot of the current incarnation waits for a run that is under way.
NoBootForgotten ==
    \A p \in Pods : \A c \in Clients :
        (client[p][c].phase = "booting" /\ Current(p, client[p][c].bootInc)) => run[p][client[p][c].bootInc] # "none"

\* No number is given to two incarnations.
IncarnationsIncrease ==
    \A p \in Pods : \A n \in Incs : woken[p][n] <= 1

\* A boot that is answered names an incarnation that was really provisioned.
ReplyNamesItsIncarnation ==
    \A p \in Pods : \A c \in Clients :
        client[p][c].phase \in {"believes", "attached"} => client[p][c].bootInc \in done[p]

\* Nobody gets into another user's container.
NoCrossAttach ==
    \A p \in Pods : \A c \in Clients : client[p][c].term.at = "open" => client[p][c].term.pod = p

\* Nothing that lives and was set up is taken for lost or failed: not by the watch of the engine, and not by a start of the server.
ReadyIsKept ==
    [][\A p \in Pods :
        (pod[p].ctr # "asleep" /\ pod'[p].ctr = "asleep" /\ pod'[p].why \in {"lost", "failed"})
            => /\ ~Adoptable(p)
               /\ pod'[p].why = "failed" => pod[p].ctr # "ready"]_vars

\* A terminal is handed over only in the incarnation that is current then.
AttachIsCurrent ==
    [][\A p \in Pods : \A c \in Clients :
        LET t == client'[p][c].term IN
        (t.at = "open" /\ client[p][c].term.at # "open") => (t.inc = pod[t.pod].inc /\ pod[t.pod].ctr = "ready")]_vars

-----------------------------------------------------------------------------
(***************************************************************************)
(* What must happen in the end, when the server takes every step that it   *)
(* can take for long enough. Crashes, deaths and what users do are not     *)
(* owed.                                                                   *)
(***************************************************************************)

Fairness ==
    \A p \in Pods :
        /\ \A c \in Clients :
            /\ WF_vars(\E n \in Incs : FinishBoot(p, c, n))
            /\ WF_vars(BootLost(p, c))
            /\ WF_vars(Dial(p, c) \/ DialFails(p, c))
            /\ WF_vars(AttachReady(p, c) \/ AttachAgain(p, c) \/ AttachMoved(p, c))
            /\ WF_vars(Reconnect(p, c))
        /\ \A n \in Incs :
            /\ WF_vars(CreateContainer(p, n))
            /\ WF_vars(StartContainer(p, n))
            /\ WF_vars(BeginScript(p, n))
            /\ WF_vars(ScriptSkips(p, n) \/ ScriptWorks(p, n) \/ ScriptMarks(p, n) \/ ScriptFails(p, n))
            /\ WF_vars(ScriptSucceeded(p, n) \/ ScriptFailed(p, n) \/ ScriptGone(p, n))
            /\ WF_vars(EndRun(p, n))
            /\ WF_vars(DropReply(p, n))
            /\ WF_vars(BootFailed(p, n))
            /\ WF_vars(TearDown(p, n))
        /\ WF_vars(IdleSleep(p))
        /\ WF_vars(ContainerLost(p))
        /\ WF_vars(RecoverReady(p))
        /\ WF_vars(RecoverAsleep(p))

FairSpec == Spec /\ Fairness

BootIsAnswered ==
    \A p \in Pods : \A c \in Clients : client[p][c].phase = "booting" ~> client[p][c].phase # "booting"

UnownedIsRemoved ==
    \A p \in Pods : \A n \in Incs :
        (engine[p][n].box # "none" /\ ~Current(p, n)) ~> (engine[p][n].box = "none" \/ Current(p, n))

AttachEnds ==
    \A p \in Pods : \A c \in Clients : client[p][c].term.at = "probed" ~> client[p][c].term.at \in {"none", "open"}

IsIdle(p) ==
    /\ Awake(p)
    /\ run[p][pod[p].inc] = "none"
    /\ \A c \in Clients : client[p][c].term.at # "open"

IdlePodSleeps == \A p \in Pods : IsIdle(p) ~> ~IsIdle(p)

=============================================================================
