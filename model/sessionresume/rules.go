package sessionresume

// What is decided by, in bytes: the guards of the table are made of these. The session host has the same conditions in its own words, where docs/resume.md says, and is held against the table.

// SameEpoch reports whether what a viewer shows is of this session: an epoch names one session for ever.
func SameEpoch[E comparable](of, epoch E) bool { return of == epoch }

// InRing reports whether the ring, which begins at lo, still has the byte at.
func InRing(at, lo int64) bool { return at >= lo }

// KeepsUp reports whether a viewer is within its window of what there is: while one is, the shell is read.
func KeepsUp(hi, acked, window int64) bool { return hi-acked < window }

// InWindow reports whether a viewer may be sent more.
func InWindow(sent, acked, window int64) bool { return sent-acked < window }
