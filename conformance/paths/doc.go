// Package paths makes paths that together take every step of tla/PodRuntime.tla which a server can be driven to, and has conformance/lockstep
// drive a server through them.
//
// What can happen in a small configuration (tabs, incarnations, crashes) is explored whole, with two reductions that keep every behaviour of the
// server: history that no guard reads is forgotten, and tabs have no names. Every step of it is then in one class ([Coverage]): it is taken by a
// path; or no server can be driven along it, for one of the reasons of lockstep; or no server can be driven to where it begins. The paths are as
// few and short as can be, and there are tens of thousands. A few others, in conformance/testdata/PodRuntime, together take every action, every outcome of every
// guard and every fault: those run on Docker too.
//
// It imports model, tla/itf, and of conformance lockstep, tracecheck and traces. Read graph.go first, then walk.go with flow.go, which make the
// paths, and few.go, which makes those that are kept; drive.go has them driven.
package paths
