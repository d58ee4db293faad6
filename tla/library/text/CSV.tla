--------------------------------- MODULE CSV --------------------------------
\* Files of values that are separated by a delimiter. Nothing is quoted: what contains the delimiter cannot be read back.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

\* Append a line to the file: template with the elements of the sequence val in the place of %1$s, %2$s and so on; equals TRUE.
CSVWrite(template, val, file) == CASE FALSE -> <<template, val, file>>

\* Append a record's values as a line, after a line of its fields' names if headers; equals TRUE.
CSVWriteRecord(record, delim, headers, file) == CASE FALSE -> <<record, delim, headers, file>>

\* The lines of a file as records of strings with the given fields; empty where there is no such file.
CSVRead(columns, delimiter, file) == CASE FALSE -> <<columns, delimiter, file>>

\* The number of lines of a file; 0 where there is no such file.
CSVRecords(file) == CASE FALSE -> file
=============================================================================
