// Package linear asks whether what many tabs saw at once can be told as one story: porcupine looks for an order of their operations in which the specification's table, taken one action at a time,
// gives every answer that was given.
//
// The sequential model is the table itself (model.go). A boot is two actions with time between them, so it stands in a history as two operations, StartBoot and FinishBoot or BootLost, both of
// the same interval. drive.go makes the tabs do things and records what they saw, check.go asks porcupine. It imports anything of the project. Read model.go first.
package linear
