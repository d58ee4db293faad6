------------------------------- MODULE ShiViz -------------------------------
\* Traces of specifications with a program counter pc per process, for the viewer ShiViz.
LOCAL INSTANCE Integers
LOCAL INSTANCE Json
LOCAL INSTANCE TLC
INSTANCE Toolbox

\* Who took the step to position i: the process whose pc changed, or else who took the step before.
LOCAL Hosts ==
    LET host[i \in DOMAIN _TETrace] ==
            IF i = 1 THEN "--"
            ELSE LET before == _TETrace[i - 1].pc
                     after == _TETrace[i].pc
                 IN  IF before = after THEN host[i - 1] ELSE CHOOSE p \in DOMAIN before : before[p] # after[p]
    IN  host

Host == Hosts[_TEPosition]

\* How many steps each process has taken up to position i, as a JSON object.
LOCAL Clocks ==
    LET clock[i \in DOMAIN _TETrace] ==
            [p \in DOMAIN _TETrace[i].pc |->
                IF i = 1 THEN 0 ELSE clock[i - 1][p] + (IF p = Hosts[i] THEN 1 ELSE 0)]
    IN  clock

Clock == ToJsonObject(Clocks[_TEPosition])
=============================================================================
