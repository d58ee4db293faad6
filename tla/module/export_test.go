package module

// WithMaxCopies gives options with another limit on what instances may grow to.
func WithMaxCopies(o Options, n int) Options {
	o.maxCopies = n
	return o
}
