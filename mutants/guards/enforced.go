package guards

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"podlife/model"
	"podlife/model/idlerule"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/model/sessionresume"
	"podlife/model/workspace"
)

// ActorDir is where lifecycle state lives: the one package in which the table itself refuses.
const ActorDir = "runtime/pod"

// Guard is a guard of a specification and what enforces it in the runtime.
type Guard struct {
	Spec   string `json:"spec"` // the name of the table
	Action string `json:"action"`
	Guard  string `json:"guard"`
	// By is one of the words below.
	By         string      `json:"by"`
	Statements []Statement `json:"statements,omitempty"`
}

// What a Guard's By can be.
const (
	ByStatement = "statement" // annotated statements carry it
	ByTable     = "table"     // nothing but the table's own refusal in the actor's commit does
	ByContract  = "contract"  // a guard of PodLifecycle: commit takes no step that is none of its actions for the outside
	ByWorld     = "world"     // the action is no choice of the server: it is what happens in a container, to it, or to the server itself
)

// ofTheWorld are the actions of PodRuntime that the server does not take: it finds out. What keeps the boot script to its guards (ScriptSkips.ownMarker, ScriptMarks.allDone) is the script itself.
func ofTheWorld() []string {
	return append(podruntime.WorldActions(), podruntime.DialWakes, podruntime.Crash, podruntime.CrashOtherRecipe)
}

// knownTable makes a table Known.
type knownTable[S any] struct{ model.Table[S] }

func (t knownTable[S]) HasAction(action string) bool {
	_, err := t.Action(action)
	return err == nil
}

func (t knownTable[S]) HasGuard(action, guard string) bool {
	a, err := t.Action(action)
	if err != nil {
		return false
	}
	for _, g := range a.Guards {
		if g.Name == guard {
			return true
		}
	}
	return false
}

// knownSwitches is what a table knows, and the rules that can be switched off with it.
type knownSwitches struct {
	Known
	names []string
}

func (k knownSwitches) HasGuard(action, guard string) bool {
	return k.Known.HasGuard(action, guard) || slices.Contains(k.names, action+"."+guard)
}

// either is what one of several tables knows.
type either []Known

func (e either) HasAction(action string) bool {
	return slices.ContainsFunc(e, func(k Known) bool { return k.HasAction(action) })
}

func (e either) HasGuard(action, guard string) bool {
	return slices.ContainsFunc(e, func(k Known) bool { return k.HasGuard(action, guard) })
}

// Server is what annotations outside of [HostDir] may name: guards of PodRuntime, and guards and rules of IdleRule and Workspace.
func Server() Known { return either{KnownTable(Runtime()), Idle(), Homes()} }

// Idle is what annotations may name of IdleRule: its guards, and its rules, which are effects.
func Idle() Known {
	return knownSwitches{KnownTable(idlerule.Table(idlerule.Constants{})), idlerule.Switches()}
}

// Homes is what annotations may name of Workspace, likewise.
func Homes() Known {
	return knownSwitches{KnownTable(workspace.Table(workspace.Constants{})), workspace.Switches()}
}

// Of gives the annotated statements outside of [HostDir] that are known to one of the tables of [Server]. The error is that of [Find].
func Of(known Known, root string) ([]Statement, error) {
	all, err := Find(root, "runtime", Server())
	return slices.DeleteFunc(all, func(s Statement) bool { return !known.HasGuard(s.Action, s.Guard) }), err
}

// IdleRule gives every guard and rule of IdleRule that can be switched off, in its order, with the statements below root that carry it. It is an error when none does: nothing else enforces one.
func IdleRule(root string) ([]Guard, error) {
	return carried(root, idlerule.Name, Idle(), idlerule.Switches())
}

// Workspace gives those of Workspace, likewise.
func Workspace(root string) ([]Guard, error) {
	return carried(root, workspace.Name, Homes(), workspace.Switches())
}

func carried(root, spec string, known Known, switches []string) ([]Guard, error) {
	statements, err := Of(known, root)
	problems := []error{err}
	var all []Guard
	for _, name := range switches {
		action, guard, _ := strings.Cut(name, ".")
		g := Guard{Spec: spec, Action: action, Guard: guard, By: ByStatement}
		for _, s := range statements {
			if s.Action == action && s.Guard == guard {
				g.Statements = append(g.Statements, s)
			}
		}
		if reason := byNature()[name]; reason != "" {
			g.By = reason
		}
		if (g.By == ByStatement) != (len(g.Statements) > 0) {
			problems = append(problems, fmt.Errorf("guard %s of %s is enforced by %s, and %d statements carry it", name, g.Spec, g.By, len(g.Statements)))
		}
		all = append(all, g)
	}
	return all, errors.Join(problems...)
}

// byNature are the rules of IdleRule and Workspace that no statement carries, each with what keeps to it.
func byNature() map[string]string {
	return map[string]string{
		"Extend.wakesNothing": "nothing: Extend has no statement that could wake a pod",
		"Sleep.keepsLease":    "nothing: no sleep has a statement about the lease",

		"Read.wakesNothing":    "nothing: no call that reads has a statement that could wake a pod",
		"Ready.ownDisk":        "the marker's one place, boot.MarkerPath: it is not below boot.HomePath, and nobody looks for another",
		"TearDown.keepsVolume": "nothing: the engine keeps a volume that has a name when a container goes, and removing a container has no statement about volumes",
		"Recover.keepsVolumes": "nothing: no start of the server has a statement that could remove a volume",
	}
}

// KnownTable gives what a table knows of guards.
func KnownTable[S any](t model.Table[S]) Known { return knownTable[S]{t} }

// All gives every guard of both tables, PodRuntime's first, in their order, with what enforces it in the runtime below root. It is an error when an annotation is wrong, and when a guard that no
// statement carries is not enforced by the actor either, see [Enforced].
func All(root string) ([]Guard, error) {
	table := Runtime()
	statements, err := Of(KnownTable(table), root)
	problems := []error{err}
	enforced := Enforced(filepath.Join(root, filepath.FromSlash(ActorDir)))
	var all []Guard
	for _, a := range table.Actions {
		for _, g := range a.Guards {
			guard := Guard{Spec: table.Name, Action: a.Name, Guard: g.Name, By: ByTable}
			if slices.Contains(ofTheWorld(), a.Name) {
				guard.By = ByWorld
			}
			for _, s := range statements {
				if s.Action == a.Name && s.Guard == g.Name {
					guard.By = ByStatement
					guard.Statements = append(guard.Statements, s)
				}
			}
			all = append(all, guard)
		}
	}
	contract := podlifecycle.Table(podlifecycle.Constants{GuardedAttach: true})
	for _, a := range contract.Actions {
		for _, g := range a.Guards {
			all = append(all, Guard{Spec: contract.Name, Action: a.Name, Guard: g.Name, By: ByContract})
		}
	}
	if enforced != nil {
		for _, g := range all {
			if g.By == ByTable || g.By == ByContract {
				problems = append(problems, fmt.Errorf("guard %s.%s of %s: no statement carries it, and the actor does not enforce it: %w", g.Action, g.Guard, g.Spec, enforced))
			}
		}
	}
	return all, errors.Join(problems...)
}

// HostDir is where annotations name the guards of SessionResume.
const HostDir = "runtime/host"

// Host is the table that annotations in [HostDir] name.
func Host() model.Table[sessionresume.Local] { return sessionresume.Table(sessionresume.Constants{}) }

// Runtime is the table of the server's lifecycle, which annotations outside of [HostDir] name; [Server] has all that they may.
func Runtime() model.Table[podruntime.Local] { return podruntime.Table(podruntime.Constants{}) }

// Enforced says whether the table's refusal alone keeps the actor in dir from every step that the table does not allow. Nil means, by the syntax tree:
//
//   - there is one method commit, which asks p.table.Take for the action that it was given, and returns when that is refused, before anything else is done with the answer; then it asks
//     p.contract.Action what the step is for the outside, and returns when it is nothing that PodLifecycle allows;
//   - no other function assigns to a pod's state or to a tab's model, but recover, which restores what the engine shows after a start of the server and takes no action;
//   - the table is made in one place, of the design that ships: with nothing in Off.
func Enforced(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	c := &actorCheck{fset: token.NewFileSet()}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(c.fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c.file(tree)
	}
	return c.verdict()
}

// restores is the function that may set lifecycle state without an action.
const restores = "recover"

type actorCheck struct {
	fset     *token.FileSet
	commits  int
	asks     bool // commit asks the table and heeds it
	contract bool // and the contract
	tables   int  // places that make the table
	problems []error
}

func (c *actorCheck) at(n ast.Node, format string, args ...any) {
	p := c.fset.Position(n.Pos())
	c.problems = append(c.problems, fmt.Errorf("%s:%d: %s", filepath.Base(p.Filename), p.Line, fmt.Sprintf(format, args...)))
}

func (c *actorCheck) file(tree *ast.File) {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		commit := f.Name.Name == "commit" && f.Recv != nil
		if commit {
			c.commits++
			c.asks = heeds(f, takes)
			c.contract = heeds(f, consults)
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					if part := lifecyclePart(to); part != "" && !commit && f.Name.Name != restores {
						c.at(to, "%s assigns to %s, which only commit may", f.Name.Name, part)
					}
				}
			case *ast.IncDecStmt:
				if part := lifecyclePart(n.X); part != "" {
					c.at(n, "%s changes %s, which only commit may", f.Name.Name, part)
				}
			case *ast.UnaryExpr:
				if part := lifecyclePart(n.X); n.Op == token.AND && part != "" {
					c.at(n, "%s takes the address of %s: whoever has it can change it", f.Name.Name, part)
				}
			case *ast.CallExpr:
				c.table(n)
			}
			return true
		})
	}
}

// lifecyclePart names the lifecycle state that an expression is or is part of: the field state of a pod or the field model of a tab.
func lifecyclePart(e ast.Expr) string {
	for {
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		if s.Sel.Name == "state" || s.Sel.Name == "model" {
			return s.Sel.Name
		}
		e = s.X
	}
}

// table looks at a call of podruntime.Table.
func (c *actorCheck) table(call *ast.CallExpr) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Table" || !isIdent(s.X, "podruntime") {
		return
	}
	c.tables++
	if len(call.Args) == 1 {
		if lit, ok := call.Args[0].(*ast.CompositeLit); ok && !slices.ContainsFunc(lit.Elts, switchesOff) {
			return
		}
	}
	c.at(call, "the table is not visibly made with nothing switched off")
}

// switchesOff says whether a field of a composite literal can be Off.
func switchesOff(e ast.Expr) bool {
	kv, ok := e.(*ast.KeyValueExpr)
	return !ok || isIdent(kv.Key, "Off")
}

func (c *actorCheck) verdict() error {
	switch {
	case c.commits != 1:
		c.problems = append(c.problems, fmt.Errorf("%d methods named commit, want 1", c.commits))
	case !c.asks:
		c.problems = append(c.problems, errors.New("commit does not ask the table for its action, or goes on when it refuses"))
	case !c.contract:
		c.problems = append(c.problems, errors.New("commit does not ask the contract what the step is for the outside, or goes on when it is nothing"))
	}
	if c.tables != 1 {
		c.problems = append(c.problems, fmt.Errorf("the table is made in %d places, want 1", c.tables))
	}
	return errors.Join(c.problems...)
}

// heeds looks for `x, err := ASK` followed at once by `if err != nil { return … }`, both directly in the body of commit, before its first assignment of state. Receiver and first parameter are
// named for ask.
func heeds(f *ast.FuncDecl, ask func(e ast.Expr, receiver, action string) bool) bool {
	receiver := f.Recv.List[0].Names
	params := f.Type.Params.List
	if len(receiver) != 1 || len(params) == 0 || len(params[0].Names) == 0 {
		return false
	}
	for i, s := range f.Body.List {
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, to := range assign.Lhs {
			if lifecyclePart(to) != "" {
				return false
			}
		}
		if len(assign.Lhs) != 2 || len(assign.Rhs) != 1 || !ask(assign.Rhs[0], receiver[0].Name, params[0].Names[0].Name) {
			continue
		}
		failed, ok := assign.Lhs[1].(*ast.Ident)
		return ok && i+1 < len(f.Body.List) && returnsOn(f.Body.List[i+1], failed.Name)
	}
	return false
}

// takes says whether e is p.table.Take(action, …).
func takes(e ast.Expr, receiver, action string) bool {
	args, ok := called(e, receiver, "table", "Take")
	return ok && len(args) == 2 && isIdent(args[0], action)
}

// consults says whether e is p.contract.Action(…, …).
func consults(e ast.Expr, receiver, _ string) bool {
	args, ok := called(e, receiver, "contract", "Action")
	return ok && len(args) == 2
}

// called gives the arguments of receiver.field.method(…).
func called(e ast.Expr, receiver, field, method string) ([]ast.Expr, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, false
	}
	m, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || m.Sel.Name != method {
		return nil, false
	}
	f, ok := m.X.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != field || !isIdent(f.X, receiver) {
		return nil, false
	}
	return call.Args, true
}

// returnsOn says whether s is `if err != nil { …; return … }` without an else.
func returnsOn(s ast.Stmt, err string) bool {
	cond, ok := s.(*ast.IfStmt)
	if !ok || cond.Init != nil || cond.Else != nil || len(cond.Body.List) == 0 {
		return false
	}
	b, ok := cond.Cond.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ || !isIdent(b.X, err) || !isIdent(b.Y, "nil") {
		return false
	}
	_, ok = cond.Body.List[len(cond.Body.List)-1].(*ast.ReturnStmt)
	return ok
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
