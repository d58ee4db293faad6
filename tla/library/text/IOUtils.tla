------------------------------- MODULE IOUtils ------------------------------
\* Files, environment variables and other programs. Each of them works only as far as whoever runs the checker allows it.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

\* Write a value to a file in a binary form, read it back.
IOSerialize(val, absoluteFilename, compress) == CASE FALSE -> <<val, absoluteFilename, compress>>
IODeserialize(absoluteFilename, compressed) == CASE FALSE -> <<absoluteFilename, compressed>>

\* Write a value to a file, read it back, in the format of options.format: "TXT" with a string, "NDJSON" with a sequence. Equals a record of
\* exitValue, stdout, stderr.
Serialize(value, dest, options) == CASE FALSE -> <<value, dest, options>>
Deserialize(src, options) == CASE FALSE -> <<src, options>>

\* Run a program: a sequence of its name and arguments, a template of such with parameters, a record of further environment variables.
\* Equals a record of exitValue, stdout, stderr.
IOExec(command) == CASE FALSE -> command
IOEnvExec(env, command) == CASE FALSE -> <<env, command>>
IOExecTemplate(commandTemplate, parameters) == CASE FALSE -> <<commandTemplate, parameters>>
IOEnvExecTemplate(env, commandTemplate, parameters) == CASE FALSE -> <<env, commandTemplate, parameters>>

\* The environment variables, as a record.
IOEnv == CASE FALSE -> {}

\* The number that a string says.
atoi(str) == CASE FALSE -> str

\* n as a string of at least width digits.
zeroPadN(n, width) ==
    LET digits == ToString(n)
    IN  FoldLeft(LAMBDA acc, zero : zero \o acc, digits, [i \in 1 .. (width - Len(digits)) |-> "0"])
=============================================================================
