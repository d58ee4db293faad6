------------------------------ MODULE IdleRule ------------------------------
(***************************************************************************)
(* When an idle pod may sleep, and what a lease promises: nobody's pod     *)
(* sleeps under them, nor sooner than the idle timeout after they left,    *)
(* nor before a moment that somebody was promised, whatever the server     *)
(* has been through meanwhile.                                             *)
(*                                                                         *)
(* One pod. Time is counted in ticks; every moment is such a number. What  *)
(* the server knows is gone when it crashes, what the store has is not.    *)
(*                                                                         *)
(* A guard is written Guard("Action.guard", condition) and ends in a       *)
(* comment with its name; naming it in Off switches it off. A rule is the  *)
(* same for an effect. Each has a configuration in tla/configs, which      *)
(* something must violate.                                                 *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    MaxTime,     \* bound on the time
    Idle,        \* the idle timeout
    MaxLease,    \* the longest lease, from the moment at which it is asked for
    MaxHolds,    \* bound on what holds the pod at once
    MaxCrashes,  \* bound on the crashes of the server
    Off          \* the guards and rules that are switched off; {} in the design that ships

ASSUME MaxTime \in Nat /\ MaxHolds \in Nat /\ MaxCrashes \in Nat
ASSUME Idle \in Nat \ {0} /\ MaxLease \in Nat \ {0}
ASSUME IsFiniteSet(Off)

VARIABLES
    now,       \* truth: the time
    up,        \* truth: whether the server lives
    awake,     \* truth: whether the pod is awake
    held,      \* truth: how many terminals, programs and boots hold the pod
    active,    \* volatile: when somebody did something last, as the server knows it
    lease,     \* volatile: until when the pod is kept awake, as the server knows it
    kept,      \* durable: the same in the store
    crashes,   \* of the server so far
    promised,  \* truth, history: the latest moment that an Extend was answered with
    last,      \* truth, history: when somebody used the pod last, or could again after a start of the server
    accessed,  \* truth, history: it was woken by an access since it slept last
    early      \* truth, history: an idle sleep has come too early

vars == <<now, up, awake, held, active, lease, kept, crashes, promised, last, accessed, early>>

Guard(name, condition) == name \notin Off => condition
Rule(name) == name \notin Off

\* A moment long ago: what the server takes for what it does not know.
LongAgo == 0

Max(a, b) == IF a > b THEN a ELSE b

Init ==
    /\ now = 0 /\ up = TRUE /\ awake = FALSE /\ held = 0
    /\ active = LongAgo /\ lease = LongAgo /\ kept = LongAgo /\ crashes = 0
    /\ promised = LongAgo /\ last = LongAgo /\ accessed = FALSE /\ early = FALSE

Tick ==
    /\ now < MaxTime                                                              \* guard: bounded
    /\ now' = now + 1
    /\ UNCHANGED <<up, awake, held, active, lease, kept, crashes, promised, last, accessed, early>>

(***************************************************************************)
(* Using the pod.                                                          *)
(***************************************************************************)

\* An access: its boot wakes the pod, and is over.
Wake ==
    /\ up                                                                         \* guard: up
    /\ ~awake                                                                     \* guard: asleep
    /\ awake' = TRUE
    /\ accessed' = TRUE
    /\ active' = IF Rule("Wake.clock") THEN now ELSE active
    /\ last' = now
    /\ UNCHANGED <<now, up, held, lease, kept, crashes, promised, early>>

\* Somebody does something that holds nothing.
Touch ==
    /\ up                                                                         \* guard: up
    /\ awake                                                                      \* guard: awake
    /\ active' = IF Rule("Touch.clock") THEN now ELSE active
    /\ last' = now
    /\ UNCHANGED <<now, up, awake, held, lease, kept, crashes, promised, accessed, early>>

\* A terminal is opened, a program is started, a boot begins.
Hold ==
    /\ up                                                                         \* guard: up
    /\ awake                                                                      \* guard: awake
    /\ held < MaxHolds                                                            \* guard: bounded
    /\ held' = held + 1
    /\ active' = now
    /\ last' = now
    /\ UNCHANGED <<now, up, awake, lease, kept, crashes, promised, accessed, early>>

\* And is over: the idle clock starts now.
Release ==
    /\ held > 0                                                                   \* guard: held
    /\ held' = held - 1
    /\ active' = IF Rule("Release.clock") THEN now ELSE active
    /\ last' = now
    /\ UNCHANGED <<now, up, awake, lease, kept, crashes, promised, accessed, early>>

(***************************************************************************)
(* The lease.                                                              *)
(***************************************************************************)

\* Somebody asks for a lease of d from now on, and is answered until when it is. One that is longer already stays as it is.
Extend(d) ==
    /\ up                                                                         \* guard: up
    /\ LET until == IF Rule("Extend.forward") THEN Max(lease, now + d) ELSE now + d IN
        /\ lease' = until
        /\ kept' = IF Rule("Extend.stored") THEN until ELSE kept
        /\ promised' = Max(promised, until)
    /\ awake' = IF Rule("Extend.wakesNothing") THEN awake ELSE TRUE
    /\ UNCHANGED <<now, up, held, active, crashes, last, accessed, early>>

(***************************************************************************)
(* Sleeping.                                                               *)
(***************************************************************************)

\* What an idle sleep must never meet, whatever the server takes to be the case.
TooEarly == held > 0 \/ now < promised \/ now < last + Idle

\* The idle sleep.
Sweep ==
    /\ up                                                                         \* guard: up
    /\ awake                                                                      \* guard: awake
    /\ Guard("Sweep.idle", now >= active + Idle)                                  \* guard: idle
    /\ Guard("Sweep.lease", now >= lease)                                         \* guard: lease
    /\ Guard("Sweep.noHold", held = 0)                                            \* guard: noHold
    /\ early' = (early \/ TooEarly)
    /\ awake' = FALSE
    /\ accessed' = FALSE
    /\ held' = 0
    /\ UNCHANGED <<now, up, active, lease, kept, crashes, promised, last>>

\* It is destroyed, or its container is lost, also while the server is down: that asks for no deadline. The lease outlives it.
Sleep ==
    /\ awake                                                                      \* guard: awake
    /\ awake' = FALSE
    /\ accessed' = FALSE
    /\ held' = 0
    /\ lease' = IF Rule("Sleep.keepsLease") THEN lease ELSE LongAgo
    /\ UNCHANGED <<now, up, active, kept, crashes, promised, last, early>>

(***************************************************************************)
(* The server.                                                             *)
(***************************************************************************)

\* Whoever was there has lost the connection; the container lives on.
Crash ==
    /\ up                                                                         \* guard: up
    /\ crashes < MaxCrashes                                                       \* guard: bounded
    /\ up' = FALSE
    /\ crashes' = crashes + 1
    /\ held' = 0
    /\ active' = LongAgo
    /\ lease' = LongAgo
    /\ UNCHANGED <<now, awake, kept, promised, last, accessed, early>>

\* Whoever was cut off has the whole idle timeout to come back.
Recover ==
    /\ ~up                                                                        \* guard: down
    /\ up' = TRUE
    /\ lease' = IF Rule("Recover.lease") THEN kept ELSE LongAgo
    /\ active' = IF Rule("Recover.clock") THEN now ELSE LongAgo
    /\ last' = now
    /\ UNCHANGED <<now, awake, held, kept, crashes, promised, accessed, early>>

-----------------------------------------------------------------------------

Next ==
    \/ Tick
    \/ Wake
    \/ Touch
    \/ Hold
    \/ Release
    \/ \E d \in 1..MaxLease : Extend(d)
    \/ Sweep
    \/ Sleep
    \/ Crash
    \/ Recover

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

Moments == 0..(MaxTime + MaxLease)

TypeOK ==
    /\ now \in 0..MaxTime /\ up \in BOOLEAN /\ awake \in BOOLEAN /\ held \in 0..MaxHolds /\ crashes \in 0..MaxCrashes
    /\ active \in 0..now /\ last \in 0..now
    /\ lease \in Moments /\ kept \in Moments /\ promised \in Moments
    /\ accessed \in BOOLEAN /\ early \in BOOLEAN

\* What the server holds is what it has promised: not less, whatever happened in between, and not more.
LeaseKept == up => lease = promised

\* No idle sleep while something holds the pod, before a promise has run out, or sooner than the idle timeout after the last use.
NoEarlySleep == ~early

\* Nothing but an access wakes the pod.
NoWake == awake => accessed

\* As soon as nothing speaks against it in truth, it may be put to sleep.
SleepsWhenDue == (up /\ awake /\ ~TooEarly) => ENABLED Sweep

\* What is kept never gets shorter.
LeaseForward == [][kept' >= kept]_vars

-----------------------------------------------------------------------------
(***************************************************************************)
(* A pod that is due sleeps in the end, unless somebody comes before that. *)
(***************************************************************************)

FairSpec == Spec /\ WF_vars(Sweep) /\ WF_vars(Recover)

DueSleeps == (up /\ awake /\ ~TooEarly) ~> (~up \/ ~awake \/ TooEarly)

ServerComesBack == ~up ~> up

=============================================================================
