-------------------------------- MODULE Json --------------------------------
\* Values as JSON (RFC 8259), in strings and in files. Sequences and sets are arrays; records and other functions are objects, their arguments
\* written as strings; strings and model values are strings.

ToJson(value) == CASE FALSE -> value

\* As an array, as an object.
ToJsonArray(value) == CASE FALSE -> value
ToJsonObject(value) == CASE FALSE -> value

\* Write value, a sequence or a record, to a file; equals TRUE.
JsonSerialize(file, value) == CASE FALSE -> <<file, value>>

\* The value in a file: arrays are sequences, objects are records.
JsonDeserialize(file) == CASE FALSE -> file

\* Likewise, an element of a sequence a line.
ndJsonSerialize(file, value) == CASE FALSE -> <<file, value>>
ndJsonDeserialize(file) == CASE FALSE -> file
=============================================================================
