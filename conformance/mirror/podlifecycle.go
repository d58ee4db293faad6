package mirror

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/value"
)

// PodLifecycle matches tla/PodLifecycle.tla, read as m, with a table of model/podlifecycle lifted to so many clients. Errors are a
// [*podlifecycle.BoundsError], those of package eval, and a specification with other variables than the table has.
func PodLifecycle(m *module.Module, table model.Table[podlifecycle.Local], c podlifecycle.Constants, clients int) (Pair[podlifecycle.State], error) {
	var none Pair[podlifecycle.State]
	if err := podlifecycle.CheckBounds(c, clients); err != nil {
		return none, err
	}
	cfg, err := config.Parse(diag.NewSource("mirror.cfg", []byte(lifecycleConfig(c, clients, allInvariants()))))
	if err != nil {
		return none, err
	}
	program, err := eval.Compile(m, cfg, eval.Options{})
	if err != nil {
		return none, err
	}
	states, err := newLifecycleStates(program.Variables(), clients)
	if err != nil {
		return none, err
	}
	return Pair[podlifecycle.State]{
		System:  podlifecycle.LiftTable(table, clients),
		Program: program,
		Without: func(_ string, conjunct *eval.Conjunct) (*eval.Program, error) {
			return eval.Compile(m, cfg, eval.Options{Drop: conjunct})
		},
		Spec:     states.spec,
		Argument: func(arg string) value.Value { return value.NewModel(arg) },
	}, nil
}

func allInvariants() []string {
	return []string{podlifecycle.TypeOK, podlifecycle.NoAttachWithoutShellSetup, podlifecycle.BootIdempotent}
}

// lifecycleConfig is a configuration with these constants and invariants; its clients are called as the table calls them.
func lifecycleConfig(c podlifecycle.Constants, clients int, invariants []string) string {
	names := make([]string, clients)
	for i := range names {
		names[i] = podlifecycle.ClientName(i)
	}
	return fmt.Sprintf("SPECIFICATION Spec\nINVARIANTS %s\n"+
		"CONSTANTS Clients = {%s}\n MaxInc = %d\n GuardedAttach = %s\n",
		strings.Join(invariants, " "), strings.Join(names, ", "), c.MaxInc, strings.ToUpper(strconv.FormatBool(c.GuardedAttach)))
}

// lifecycleStates turns states into each other.
type lifecycleStates struct {
	ctr, inc, client int // the variables' places
	shape            *value.Shape
	clients          int
	names            []value.Value
}

func newLifecycleStates(variables []string, clients int) (lifecycleStates, error) {
	m := lifecycleStates{
		ctr: slices.Index(variables, "ctr"), inc: slices.Index(variables, "inc"), client: slices.Index(variables, "client"),
		shape: value.ShapeOf("phase", "bootInc", "attInc"), clients: clients,
	}
	if len(variables) != 3 || m.ctr < 0 || m.inc < 0 || m.client < 0 {
		return m, fmt.Errorf("mirror: the specification has the variables %q, the table ctr, inc and client", variables)
	}
	for i := range clients {
		m.names = append(m.names, value.NewModel(podlifecycle.ClientName(i)))
	}
	return m, nil
}

func (m lifecycleStates) spec(s podlifecycle.State) eval.State {
	clients := make([]value.Value, m.clients)
	for i := range clients {
		c := s.Client(i)
		clients[i] = m.record(c)
	}
	out := make(eval.State, 3)
	out[m.ctr] = value.NewString(s.Pod().Ctr.String())
	out[m.inc] = value.NewInt(int64(s.Pod().Inc))
	out[m.client] = value.NewFunction(slices.Clone(m.names), clients)
	return out
}

func (m lifecycleStates) record(c podlifecycle.Client) value.Value {
	fields := map[string]value.Value{
		"phase":   value.NewString(c.Phase.String()),
		"bootInc": value.NewInt(int64(c.BootInc)),
		"attInc":  value.NewInt(int64(c.AttInc)),
	}
	vals := make([]value.Value, len(fields))
	for name, v := range fields {
		vals[m.shape.Index(name)] = v
	}
	return value.NewRecord(m.shape, vals)
}
