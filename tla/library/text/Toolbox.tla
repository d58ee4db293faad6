------------------------------- MODULE Toolbox ------------------------------
\* The trace that a trace explorer looks at.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

\* The trace: overridden by whoever explores one.
_TETrace == CASE FALSE -> << >>

LOCAL Length == Cardinality(DOMAIN _TETrace)
LOCAL Level == TLCGet("level")

\* The position in the trace of the state that is looked at.
_TEPosition == CASE Level \geq Length -> Length
                 [] Level < Length /\ Level = 0 -> 1
                 [] OTHER -> Level
=============================================================================
