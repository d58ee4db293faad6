// Package config has every setting of `podlife serve` in one table, and loads them: flags over environment over file over defaults.
//
// A setting that can only fail is refused here, when it is loaded, with its name, its value, where the value comes from and what is allowed; all refusals are told at once.
//
// It imports runtime/boot, for what a recipe may be, and nothing else of the project. Read settings.go first, which is the table; then load.go.
package config
