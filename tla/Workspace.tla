------------------------------ MODULE Workspace ------------------------------
(***************************************************************************)
(* Named pods and the volumes of their homes. A workspace's home outlives  *)
(* its containers: each start is a new container with a new root disk,     *)
(* which its boot script has to set up, and the same home. Nothing of a    *)
(* home is lost but by its owner's delete, and a delete leaves nothing.    *)
(*                                                                         *)
(* PodRuntime has what happens between a start and a stop; here a start is *)
(* a few steps. A pod is an identity that is used once: whoever creates    *)
(* one of the same name again gets another identity. A volume is named     *)
(* after the pod that it was made for.                                     *)
(*                                                                         *)
(* A guard is written Guard("Action.guard", condition) and ends in a       *)
(* comment with its name; naming it in Off switches it off. A rule is the  *)
(* same for an effect. Each has a configuration in tla/configs, which      *)
(* something must violate.                                                 *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Pods,        \* identities of pods, and the names of their volumes
    Foreign,     \* those of them that are another owner's
    MaxInc,      \* bound on the starts of a pod
    MaxCrashes,  \* bound on the crashes of the server
    Off          \* the guards and rules that are switched off; {} in the design that ships

ASSUME Foreign \subseteq Pods /\ MaxInc \in Nat /\ MaxCrashes \in Nat
ASSUME IsFiniteSet(Off)

VARIABLES
    up,       \* truth: whether the server lives
    life,     \* volatile: where each pod is between create and delete, as the server knows it
    rec,      \* durable: the same in the store, with its class and its home
    kept,     \* durable: volumes that are kept without a pod
    state,    \* volatile: asleep, starting or ready
    flight,   \* volatile: the launch of a container that is under way, which nothing calls back
    box,      \* truth: the container of each pod
    vol,      \* truth: the volumes
    open,     \* truth: whether a terminal is open in a pod's container
    woken,    \* truth, history: by what the pod was started since it slept last
    doomed,   \* truth, history: volumes that a delete was asked to remove
    byHand,   \* truth, history: volumes that somebody removed at the engine
    crashes   \* of the server so far

vars == <<up, life, rec, kept, state, flight, box, vol, open, woken, doomed, byHand, crashes>>

Guard(name, condition) == name \notin Off => condition
Rule(name) == name \notin Off

Owner(p) == IF p \in Foreign THEN "other" ELSE "one"

\* No volume.
None == "none"

\* Any of them: what a home is named after where that is not its pod.
Any == CHOOSE p \in Pods : TRUE

NoBox == [up |-> FALSE, inc |-> 0, home |-> None, setup |-> FALSE, marker |-> 0]
NoVolume == [there |-> FALSE, ours |-> FALSE, data |-> "none", marker |-> 0]

HasHome(p) == rec[p].home # None

\* A container has it, one that runs or one that was only made.
Used(v) == \E p \in Pods : (box[p].up /\ box[p].home = v) \/ (flight[p] = "made" /\ rec[p].home = v)

\* The container is the one of the last start.
Current(p) == box[p].up /\ box[p].inc = rec[p].inc

Init ==
    /\ up = TRUE /\ kept = {} /\ doomed = {} /\ byHand = {} /\ crashes = 0
    /\ life = [p \in Pods |-> "none"]
    /\ rec = [p \in Pods |-> [life |-> "none", home |-> None, keep |-> FALSE, inc |-> 0]]
    /\ state = [p \in Pods |-> "asleep"]
    /\ flight = [p \in Pods |-> "none"]
    /\ box = [p \in Pods |-> NoBox]
    /\ vol = [p \in Pods |-> NoVolume]
    /\ open = [p \in Pods |-> FALSE]
    /\ woken = [p \in Pods |-> "none"]

(***************************************************************************)
(* Create. What is meant is stored before anything is made.                *)
(***************************************************************************)

CreateEphemeral(p) ==
    /\ life[p] = "none"                                                           \* guard: new
    /\ life' = [life EXCEPT ![p] = "there"]
    /\ rec' = [rec EXCEPT ![p].life = "there"]
    /\ UNCHANGED <<up, kept, state, flight, box, vol, open, woken, doomed, byHand, crashes>>

CreateWorkspace(p) ==
    /\ life[p] = "none"                                                           \* guard: new
    /\ life' = [life EXCEPT ![p] = "making"]
    /\ rec' = [rec EXCEPT ![p].life = IF Rule("CreateWorkspace.stored") THEN "making" ELSE @,
                          ![p].home = IF Rule("CreateWorkspace.ownVolume") THEN p ELSE Any]
    /\ UNCHANGED <<up, kept, state, flight, box, vol, open, woken, doomed, byHand, crashes>>

\* A workspace whose home is a volume that was kept.
Adopt(p, v) == (* vacuous-ok: needs two pods *)
    /\ life[p] = "none"                                                           \* guard: new
    /\ v \in kept /\ vol[v].there                                                 \* guard: kept
    /\ Guard("Adopt.owner", Owner(v) = Owner(p))                                  \* guard: owner
    /\ life' = [life EXCEPT ![p] = "there"]
    /\ rec' = [rec EXCEPT ![p].life = "there", ![p].home = v]
    /\ kept' = IF Rule("Adopt.once") THEN kept \ {v} ELSE kept
    /\ UNCHANGED <<up, state, flight, box, vol, open, woken, doomed, byHand, crashes>>

\* Making what is there already is success.
MakeVolume(p) ==
    /\ life[p] = "making"                                                         \* guard: making
    /\ vol' = [vol EXCEPT ![rec[p].home] = IF @.there THEN @ ELSE [NoVolume EXCEPT !.there = TRUE, !.ours = TRUE]]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, box, open, woken, doomed, byHand, crashes>>

Made(p) ==
    /\ life[p] = "making"                                                         \* guard: making
    /\ Guard("Made.volume", vol[rec[p].home].there)                               \* guard: volume
    /\ life' = [life EXCEPT ![p] = "there"]
    /\ rec' = [rec EXCEPT ![p].life = "there"]
    /\ UNCHANGED <<up, kept, state, flight, box, vol, open, woken, doomed, byHand, crashes>>

(***************************************************************************)
(* Starting.                                                               *)
(***************************************************************************)

Starts(p, why) ==
    /\ state' = [state EXCEPT ![p] = "starting"]
    /\ flight' = [flight EXCEPT ![p] = "asked"]
    /\ rec' = [rec EXCEPT ![p].inc = @ + 1]
    /\ woken' = [woken EXCEPT ![p] = why]

CanStart(p) == state[p] = "asleep" /\ flight[p] = "none" /\ rec[p].inc < MaxInc

\* Somebody asks for it in so many words.
Boot(p) ==
    /\ life[p] \in {"there", "going"}  (* vacuous-ok: what is left where there is off *) \* guard: known
    /\ CanStart(p)                                                                \* guard: asleep
    /\ Guard("Boot.there", life[p] = "there")                                     \* guard: there
    /\ Starts(p, "boot")
    /\ UNCHANGED <<up, life, kept, box, vol, open, doomed, byHand, crashes>>

\* A terminal, a program, a file: it starts a workspace that is stopped; an ephemeral pod answers that it sleeps.
Access(p) ==
    /\ life[p] = "there"                                                          \* guard: there
    /\ CanStart(p)                                                                \* guard: asleep
    /\ Guard("Access.workspace", HasHome(p))                                      \* guard: workspace
    /\ Starts(p, "access")
    /\ UNCHANGED <<up, life, kept, box, vol, open, doomed, byHand, crashes>>

\* Status, lists, logs, events.
Read(p) ==
    /\ life[p] = "there"                                                          \* guard: there
    /\ CanStart(p)                                                                \* guard: asleep
    /\ IF Rule("Read.wakesNothing") THEN UNCHANGED <<state, flight, rec, woken>> ELSE Starts(p, "read")
    /\ UNCHANGED <<up, life, kept, box, vol, open, doomed, byHand, crashes>>

\* The container is made, and the engine makes a volume that is not there, an empty one. From here on nobody can remove it.
Launch(p) ==
    /\ flight[p] = "asked"                                                        \* guard: asked
    /\ ~box[p].up                                                                 \* guard: alone
    /\ flight' = [flight EXCEPT ![p] = "made"]
    /\ vol' = IF HasHome(p) /\ ~vol[rec[p].home].there THEN [vol EXCEPT ![rec[p].home].there = TRUE] ELSE vol
    /\ UNCHANGED <<up, life, rec, kept, state, box, open, woken, doomed, byHand, crashes>>

\* So it is looked at whether it is the one that was made for a home, before anything runs in it.
Start(p) ==
    /\ flight[p] = "made"                                                         \* guard: made
    /\ Guard("Start.ownVolume", HasHome(p) => vol[rec[p].home].ours)              \* guard: ownVolume
    /\ flight' = [flight EXCEPT ![p] = "none"]
    /\ box' = [box EXCEPT ![p] = [NoBox EXCEPT !.up = TRUE, !.inc = rec[p].inc, !.home = rec[p].home]]
    /\ UNCHANGED <<up, life, rec, kept, state, vol, open, woken, doomed, byHand, crashes>>

\* The volume is not ours, the disk is full, the image is missing. What the engine has made goes.
LaunchFails(p) ==
    /\ flight[p] # "none"                                                         \* guard: launching
    /\ flight' = [flight EXCEPT ![p] = "none"]
    /\ state' = [state EXCEPT ![p] = "asleep"]
    /\ vol' = IF flight[p] = "made" /\ HasHome(p) /\ ~vol[rec[p].home].ours THEN [vol EXCEPT ![rec[p].home].there = FALSE] ELSE vol
    /\ UNCHANGED <<up, life, rec, kept, box, open, woken, doomed, byHand, crashes>>

\* The boot script, to its end. The marker is on the container's own disk.
Provision(p) ==
    /\ state[p] = "starting"                                                      \* guard: starting
    /\ Current(p)                                                                 \* guard: running
    /\ box' = [box EXCEPT ![p].setup = TRUE, ![p].marker = box[p].inc]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, vol, open, woken, doomed, byHand, crashes>>

\* What is on a volume vouches for nothing: it outlives the container that it was written in.
MarkerFor(p) ==
    IF box[p].marker = 0 /\ box[p].home # None /\ ~Rule("Ready.ownDisk") THEN vol[box[p].home].marker ELSE box[p].marker

Ready(p) ==
    /\ state[p] = "starting"                                                      \* guard: starting
    /\ Current(p)                                                                 \* guard: running
    /\ Guard("Ready.vouched", MarkerFor(p) # 0)                                   \* guard: vouched
    /\ state' = [state EXCEPT ![p] = "ready"]
    /\ UNCHANGED <<up, life, rec, kept, flight, box, vol, open, woken, doomed, byHand, crashes>>

(***************************************************************************)
(* Using it.                                                               *)
(***************************************************************************)

Attach(p) ==
    /\ state[p] = "ready"                                                         \* guard: ready
    /\ Current(p)  (* vacuous-ok: a container that dies is PodRuntime's *)         \* guard: running
    /\ open' = [open EXCEPT ![p] = TRUE]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, box, vol, woken, doomed, byHand, crashes>>

\* Work, in the home.
Write(p) ==
    /\ open[p]                                                                    \* guard: open
    /\ box[p].home # None                                                         \* guard: workspace
    /\ vol' = [vol EXCEPT ![box[p].home].data = "work"]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, box, open, woken, doomed, byHand, crashes>>

\* The user is root in the container, and copies whatever there is into the home.
CopyMarker(p) ==
    /\ open[p]                                                                    \* guard: open
    /\ box[p].home # None                                                         \* guard: workspace
    /\ vol' = [vol EXCEPT ![box[p].home].marker = box[p].marker]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, box, open, woken, doomed, byHand, crashes>>

(***************************************************************************)
(* Stopping: by hand, when it is idle, or because its container died. The  *)
(* container goes after that, and its disk with it.                        *)
(***************************************************************************)

Removed(v) == [v EXCEPT !.there = FALSE, !.ours = FALSE, !.data = IF @ = "none" THEN "none" ELSE "lost", !.marker = 0]

Stop(p) ==
    /\ state[p] # "asleep"                                                        \* guard: awake
    /\ state' = [state EXCEPT ![p] = "asleep"]
    /\ open' = [open EXCEPT ![p] = FALSE]
    /\ UNCHANGED <<up, life, rec, kept, flight, box, vol, woken, doomed, byHand, crashes>>

TearDown(p) ==
    /\ up                                                                         \* guard: up
    /\ box[p].up                                                                  \* guard: left
    /\ ~(Current(p) /\ state[p] # "asleep")                                       \* guard: over
    /\ box' = [box EXCEPT ![p] = NoBox]
    /\ vol' = IF Rule("TearDown.keepsVolume") \/ box[p].home = None THEN vol ELSE [vol EXCEPT ![box[p].home] = Removed(@)]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, open, woken, doomed, byHand, crashes>>

(***************************************************************************)
(* Delete: stored, then the container goes, then the volume, then it is    *)
(* answered. With keep the volume is the owner's to adopt again.           *)
(***************************************************************************)

Delete(p, keep) ==
    /\ life[p] \in {"making", "there"}                                            \* guard: there
    /\ life' = [life EXCEPT ![p] = "going"]
    /\ rec' = [rec EXCEPT ![p].life = IF Rule("Delete.stored") THEN "going" ELSE @, ![p].keep = keep]
    /\ state' = [state EXCEPT ![p] = "asleep"]
    /\ open' = [open EXCEPT ![p] = FALSE]
    /\ doomed' = IF HasHome(p) /\ ~keep THEN doomed \union {rec[p].home} ELSE doomed
    /\ UNCHANGED <<up, kept, flight, box, vol, woken, byHand, crashes>>

\* The engine refuses to remove one that a container has.
RemoveVolume(p) ==
    /\ life[p] = "going"                                                          \* guard: going
    /\ HasHome(p)                                                                 \* guard: workspace
    /\ ~Used(rec[p].home)                                                         \* guard: unused
    /\ vol[rec[p].home].there                                                     \* guard: left
    /\ Guard("RemoveVolume.notKept", ~rec[p].keep)                                \* guard: notKept
    /\ vol' = [vol EXCEPT ![rec[p].home] = Removed(@)]
    /\ UNCHANGED <<up, life, rec, kept, state, flight, box, open, woken, doomed, byHand, crashes>>

Gone(p) ==
    /\ life[p] = "going"                                                          \* guard: going
    /\ Guard("Gone.container", flight[p] = "none" /\ ~box[p].up)                  \* guard: container
    /\ Guard("Gone.volume", (HasHome(p) /\ ~rec[p].keep) => ~vol[rec[p].home].there)  \* guard: volume
    /\ life' = [life EXCEPT ![p] = "gone"]
    /\ rec' = [rec EXCEPT ![p].life = "gone"]
    /\ kept' = IF HasHome(p) /\ rec[p].keep /\ Rule("Gone.keeps") /\ vol[rec[p].home].there THEN kept \union {rec[p].home} ELSE kept
    /\ UNCHANGED <<up, state, flight, box, vol, open, woken, doomed, byHand, crashes>>

(***************************************************************************)
(* The world.                                                              *)
(***************************************************************************)

\* Somebody removes a volume at the engine, which lets nobody remove one that a container has.
RemovedByHand(v) ==
    /\ vol[v].there                                                               \* guard: there
    /\ v \notin byHand                                                            \* guard: once
    /\ ~Used(v)                                                                   \* guard: unused
    /\ vol' = [vol EXCEPT ![v] = Removed(@)]
    /\ byHand' = byHand \union {v}
    /\ UNCHANGED <<up, life, rec, kept, state, flight, box, open, woken, doomed, crashes>>

\* A launch that is under way ends with the server: its container was started before, or never is.
Crash ==
    /\ up                                                                         \* guard: up
    /\ crashes < MaxCrashes                                                       \* guard: bounded
    /\ up' = FALSE
    /\ crashes' = crashes + 1
    /\ life' = [p \in Pods |-> "unknown"]
    /\ state' = [p \in Pods |-> "asleep"]
    /\ flight' = [p \in Pods |-> "none"]
    /\ open' = [p \in Pods |-> FALSE]
    /\ UNCHANGED <<rec, kept, box, vol, woken, doomed, byHand>>

\* The server goes by its store. What is not stored is none of its pods; a volume that it does not know it leaves alone.
Recover ==
    /\ ~up                                                                        \* guard: down
    /\ up' = TRUE
    /\ life' = [p \in Pods |-> rec[p].life]
    /\ state' = [p \in Pods |-> IF rec[p].life = "there" /\ box[p].up /\ box[p].marker # 0 THEN "ready" ELSE "asleep"]
    /\ vol' = IF Rule("Recover.keepsVolumes") THEN vol
              ELSE [v \in Pods |-> IF \E p \in Pods : box[p].up /\ box[p].home = v THEN vol[v] ELSE Removed(vol[v])]
    /\ UNCHANGED <<rec, kept, flight, box, open, woken, doomed, byHand, crashes>>

-----------------------------------------------------------------------------

Next ==
    \/ \E p \in Pods :
        \/ CreateEphemeral(p)
        \/ CreateWorkspace(p)
        \/ \E v \in Pods : Adopt(p, v)
        \/ MakeVolume(p)
        \/ Made(p)
        \/ Boot(p)
        \/ Access(p)
        \/ Read(p)
        \/ Launch(p)
        \/ Start(p)
        \/ LaunchFails(p)
        \/ Provision(p)
        \/ Ready(p)
        \/ Attach(p)
        \/ Write(p)
        \/ CopyMarker(p)
        \/ Stop(p)
        \/ TearDown(p)
        \/ \E keep \in BOOLEAN : Delete(p, keep)
        \/ RemoveVolume(p)
        \/ Gone(p)
        \/ RemovedByHand(p)
    \/ Crash
    \/ Recover

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

Lives == {"none", "making", "there", "going", "gone"}

TypeOK ==
    /\ up \in BOOLEAN /\ crashes \in 0..MaxCrashes
    /\ life \in [Pods -> Lives \union {"unknown"}]
    /\ rec \in [Pods -> [life : Lives, home : Pods \union {None}, keep : BOOLEAN, inc : 0..MaxInc]]
    /\ kept \subseteq Pods /\ doomed \subseteq Pods /\ byHand \subseteq Pods
    /\ state \in [Pods -> {"asleep", "starting", "ready"}]
    /\ flight \in [Pods -> {"none", "asked", "made"}]
    /\ box \in [Pods -> [up : BOOLEAN, inc : 0..MaxInc, home : Pods \union {None}, setup : BOOLEAN, marker : 0..MaxInc]]
    /\ vol \in [Pods -> [there : BOOLEAN, ours : BOOLEAN, data : {"none", "work", "lost"}, marker : 0..MaxInc]]
    /\ open \in [Pods -> BOOLEAN]
    /\ woken \in [Pods -> {"none", "boot", "access", "read"}]

\* Work is lost only where somebody asked for that.
NothingLost == \A v \in Pods : vol[v].data = "lost" => v \in doomed \union byHand

\* No container is given an empty home in the place of one that had work in it.
NoEmptyHome == \A p \in Pods : (box[p].up /\ box[p].home # None) => vol[box[p].home].data # "lost"

\* Every volume is a pod's, or kept for its owner.
NoVolumeForgotten ==
    \A v \in Pods : vol[v].there =>
        v \in kept \/ \E p \in Pods : rec[p].life \in {"making", "there", "going"} /\ rec[p].home = v

\* No volume is the home of two pods.
NoVolumeShared ==
    \A p, q \in Pods :
        (p # q /\ HasHome(p) /\ rec[p].home = rec[q].home) =>
            rec[p].life = "gone" \/ rec[q].life = "gone"

\* Nobody gets at another's home.
NoForeignHome == \A p \in Pods : HasHome(p) => Owner(rec[p].home) = Owner(p)

\* A workspace that is there has its volume.
HomeIsThere == \A p \in Pods : (rec[p].life = "there" /\ HasHome(p)) => vol[rec[p].home].there \/ rec[p].home \in byHand

\* A delete that was answered has left nothing, but what was to be kept.
DeleteLeavesNothing ==
    \A p \in Pods : rec[p].life = "gone" =>
        /\ ~box[p].up
        /\ flight[p] = "none"
        /\ (HasHome(p) /\ ~rec[p].keep) => ~vol[rec[p].home].there

\* What a delete was asked for is not started any more.
DeleteIsFinal == \A p \in Pods : rec[p].life \in {"going", "gone"} => state[p] = "asleep"

\* Only who asks for it starts a pod: a boot, or an access to a workspace.
NoWakeByRead == \A p \in Pods : woken[p] # "read" /\ (woken[p] = "access" => HasHome(p))

\* A terminal that is open leads into a container that was set up, whatever there is on its volume.
NoAttachWithoutShellSetup == \A p \in Pods : open[p] => box[p].setup

-----------------------------------------------------------------------------
(***************************************************************************)
(* A delete comes to its end, if the engine lets it.                       *)
(***************************************************************************)

Fairness ==
    /\ WF_vars(Recover)
    /\ \A p \in Pods :
        /\ WF_vars(Launch(p))
        /\ WF_vars(Start(p) \/ LaunchFails(p))
        /\ WF_vars(TearDown(p))
        /\ WF_vars(RemoveVolume(p))
        /\ WF_vars(Gone(p))

FairSpec == Spec /\ Fairness

DeleteEnds == \A p \in Pods : rec[p].life = "going" ~> rec[p].life = "gone"

=============================================================================
