-------------------------- MODULE IdleRuleWitness --------------------------
(***************************************************************************)
(* The steps that IdleRule must be able to take: that something holds      *)
(* says something only if they are there. Each has a configuration in      *)
(* which its Never... is violated. The design is the one that ships.       *)
(***************************************************************************)
EXTENDS IdleRule

\* The pod is destroyed or lost under a lease, which goes on.
SleepUnderLease == Sleep /\ up /\ now < lease /\ lease' = lease
NeverSleepUnderLease == [][~SleepUnderLease]_vars

\* And somebody wakes it while that goes on.
WakeUnderLease == Wake /\ now < lease
NeverWakeUnderLease == [][~WakeUnderLease]_vars

\* The idle sleep comes right at the end of a lease, without which it would have come before.
SleepAtTheEndOfALease == Sweep /\ now = lease /\ now > active + Idle
NeverSleepAtTheEndOfALease == [][~SleepAtTheEndOfALease]_vars

\* The server dies while a lease is all that keeps the pod awake.
CrashUnderLease == Crash /\ awake /\ held = 0 /\ now < lease /\ now >= active + Idle
NeverCrashUnderLease == [][~CrashUnderLease]_vars

\* A pod that was held all the while is released behind the end of its lease.
ReleaseBehindALease == Release /\ held = 1 /\ lease > LongAgo /\ now > lease
NeverReleaseBehindALease == [][~ReleaseBehindALease]_vars

\* Somebody extends the lease of a pod that sleeps.
ExtendAsleep == \E d \in 1..MaxLease : Extend(d) /\ ~awake
NeverExtendAsleep == [][~ExtendAsleep]_vars

=============================================================================
