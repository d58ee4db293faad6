-------------------------- MODULE WorkspaceWitness --------------------------
(***************************************************************************)
(* The steps that Workspace must be able to take: that something holds     *)
(* says something only if they are there. Each has a configuration in      *)
(* which its Never... is violated. The design is the one that ships.       *)
(***************************************************************************)
EXTENDS Workspace

\* A pod is deleted while its container is being made.
DeleteDuringLaunch == \E p \in Pods, keep \in BOOLEAN : Delete(p, keep) /\ flight[p] = "asked"
NeverDeleteDuringLaunch == [][~DeleteDuringLaunch]_vars

\* And the container is there only then.
LaunchLandsInADelete == \E p \in Pods : Start(p) /\ life[p] = "going"
NeverLaunchLandsInADelete == [][~LaunchLandsInADelete]_vars

\* Somebody removes a home while a container for it is asked for.
VolumeRemovedDuringLaunch == \E p \in Pods : RemovedByHand(p) /\ flight[p] = "asked" /\ rec[p].home = p
NeverVolumeRemovedDuringLaunch == [][~VolumeRemovedDuringLaunch]_vars

\* A container starts whose volume has the marker of an earlier one.
StartWithAMarkerOnTheVolume == \E p \in Pods : Start(p) /\ HasHome(p) /\ vol[rec[p].home].marker # 0
NeverStartWithAMarkerOnTheVolume == [][~StartWithAMarkerOnTheVolume]_vars

\* The server dies between the volume and the note that it is there.
CrashWhileMaking == \E p \in Pods : Crash /\ life[p] = "making" /\ vol[rec[p].home].there
NeverCrashWhileMaking == [][~CrashWhileMaking]_vars

\* The server dies while a delete is under way.
CrashWhileGoing == \E p \in Pods : Crash /\ life[p] = "going" /\ HasHome(p) /\ vol[rec[p].home].there
NeverCrashWhileGoing == [][~CrashWhileGoing]_vars

\* Work is found again by adopting its volume.
AdoptWithWork == \E p, v \in Pods : Adopt(p, v) /\ vol[v].data = "work"
NeverAdoptWithWork == [][~AdoptWithWork]_vars

\* A new container finds the work of an earlier one.
StartWithWork == \E p \in Pods : Start(p) /\ HasHome(p) /\ rec[p].inc > 1 /\ vol[rec[p].home].data = "work"
NeverStartWithWork == [][~StartWithWork]_vars

\* A pod is booted while the container of its last start is still there.
BootOverALeftContainer == \E p \in Pods : Boot(p) /\ box[p].up
NeverBootOverALeftContainer == [][~BootOverALeftContainer]_vars

=============================================================================
