package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A benchModel is a specification with its configuration.
type benchModel struct {
	name             string
	dir              string // folder of both
	module, config   string // the module's name, and the configuration's file in dir
	alone            bool   // it needs standard modules only
	generated, known int64  // states, and distinct ones, that TLC finds; -1 is not known
}

// sizes of PodLifecycle: clients and MaxInc.
var sizes = [][2]int{{2, 3}, {3, 5}, {3, 9}}

// models makes PodLifecycle of several sizes in a folder, and lists the models of others.
func (b bench) models(work string) ([]benchModel, error) {
	text, err := os.ReadFile(b.spec)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(work, "PodLifecycle.tla"), text, 0o600); err != nil {
		return nil, err
	}
	var models []benchModel
	for _, s := range sizes {
		config := fmt.Sprintf("PodLifecycle%d%d.cfg", s[0], s[1])
		if err := os.WriteFile(filepath.Join(work, config), []byte(podConfig(s[0], s[1])), 0o600); err != nil {
			return nil, err
		}
		models = append(models, benchModel{name: fmt.Sprintf("PodLifecycle %d/%d", s[0], s[1]), dir: work, module: "PodLifecycle", config: config, alone: true, generated: -1, known: -1})
	}
	if b.examples != "" {
		others, err := b.others()
		if err != nil {
			return nil, err
		}
		models = append(models, others...)
	}
	var chosen []benchModel
	for _, m := range models {
		if b.only.MatchString(m.name) {
			chosen = append(chosen, m)
		}
	}
	return chosen, nil
}

// podConfig is the configuration of the design that ships, with these bounds.
func podConfig(clients, maxInc int) string {
	var names []string
	for i := range clients {
		names = append(names, fmt.Sprintf("c%d", i+1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CONSTANTS\n    Clients = {%s}\n", strings.Join(names, ", "))
	for _, n := range names {
		fmt.Fprintf(&b, "    %s = %s\n", n, n)
	}
	fmt.Fprintf(&b, "    MaxInc = %d\n    GuardedAttach = TRUE\nSPECIFICATION Spec\nINVARIANTS TypeOK NoAttachWithoutShellSetup BootIdempotent\nCHECK_DEADLOCK FALSE\n", maxInc)
	return b.String()
}

// others are the models in the list.
func (b bench) others() ([]benchModel, error) {
	text, err := os.ReadFile(b.list)
	if err != nil {
		return nil, err
	}
	var list struct {
		Models []struct {
			Module, Config      string
			Generated, Distinct int64
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", b.list, err)
	}
	var models []benchModel
	for _, x := range list.Models {
		models = append(models, benchModel{
			name:      strings.TrimPrefix(strings.TrimSuffix(x.Config, ".cfg"), "specifications/"),
			dir:       filepath.Join(b.examples, filepath.Dir(x.Module)),
			module:    strings.TrimSuffix(filepath.Base(x.Module), ".tla"),
			config:    filepath.Base(x.Config),
			generated: x.Generated, known: x.Distinct,
		})
	}
	return models, nil
}
