------------------------------- MODULE Quorum -------------------------------
\* Quorum systems over S: sets of subsets of which any two meet, with each set that is larger than one of them.

QuorumSystem(S) ==
    {QS \in SUBSET SUBSET S :
        /\ QS # {}
        /\ \A P, Q \in QS : P \cap Q # {}
        /\ \A P \in QS : \A Q \in SUBSET S : P \subseteq Q => Q \in QS}
=============================================================================
