package model_test

import (
	"context"
	"fmt"

	"podlife/model"
)

// A traffic light that anybody may switch: the action's guard is what a refused caller is told, and the same table is explored.
func Example() {
	table := model.Table[string]{
		Name: "Light",
		Actions: []model.Action[string]{{
			Name:   "Go",
			Guards: []model.Guard[string]{{Name: "red", Holds: func(s string) bool { return s == "red" }}},
			Effect: func(string) string { return "green" },
		}},
		Invariants: []model.Invariant[string]{{Name: "NeverGreen", Holds: func(s string) bool { return s != "green" }}},
	}

	s, err := table.Take("Go", "red")
	fmt.Println(s, err)
	_, err = table.Take("Go", "green")
	fmt.Println(err)

	sys := model.System[string]{Name: "Light", Init: []string{"red"}, Invariants: table.Invariants}
	for _, a := range table.Actions {
		sys.Steps = append(sys.Steps, model.Step[string]{Action: a})
	}
	r, err := model.Explore(context.Background(), sys, model.Options[string]{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Distinct, "states,", r.Violation.Invariant, "is violated after", r.Violation.Path[1].Action)

	// Output:
	// green <nil>
	// Go is not enabled: false guards: red
	// 2 states, NeverGreen is violated after Go
}
