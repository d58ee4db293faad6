package failpoint

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"podlife/model/podruntime"
)

// Every action of the table has its points, but those that the server never commits; what is stored first is one of them.
func TestEveryActionHasItsPoints(t *testing.T) {
	points, actions := Points(), podruntime.Table(podruntime.Constants{}).Actions
	for _, a := range actions {
		for _, at := range []string{"before commit ", "after commit "} {
			if has, never := slices.Contains(points, Point(at+a.Name)), Never()[a.Name] != ""; has == never {
				t.Errorf("%s%s: %v, and the server never commits it: %v", at, a.Name, has, never)
			}
		}
	}
	for _, a := range Saves() {
		if !slices.Contains(points, Point("before save "+a)) {
			t.Errorf("%s is stored, and has no point before", a)
		}
	}
	if want := 2*(len(actions)-len(Never())) + len(Saves()) + 2*len(Calls()); len(points) != want {
		t.Errorf("%d points, want %d", len(points), want)
	}
}

// The build with failpoints counts what it passes; the program that ships has nothing of them.
func TestOnlyTheBuildWithFailpointsHasThem(t *testing.T) {
	built, err := Build(t.Context(), "../../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var with, without []string
	for _, file := range []struct {
		program string
		args    []string
		names   *[]string
	}{{"go", []string{"list", "-C", "../../..", "-deps", "./cmd/podlife"}, &without}, {"go", []string{"version", "-m", built}, &with}} {
		out, err := exec.CommandContext(t.Context(), file.program, file.args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", file.program, err, out)
		}
		*file.names = strings.Fields(string(out))
	}
	if slices.Contains(without, "podlife/runtime/failpoint") {
		t.Error("the program that ships has the package of the failpoints")
	}
	if !strings.Contains(strings.Join(with, " "), "main.buildID="+BuildID) {
		t.Errorf("the build does not say that it is one with failpoints: %.300s", with)
	}
	program, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(program), "PODLIFE_FAILPOINT_DIR") {
		t.Error("the build with failpoints does not ask where they are armed")
	}
}

// What is armed is read as it was written, and a folder of which no server knows has passed nothing.
func TestADirIsWhereATestMeetsAServer(t *testing.T) {
	d := Dir(t.TempDir())
	if steps, err := d.Steps(); err != nil || len(steps) > 0 {
		t.Errorf("%d steps, %v", len(steps), err)
	}
	if all, err := d.Passed(); err == nil {
		t.Errorf("no server was there, and %d points were passed", len(all))
	}
	if err := d.Arm("after create", 2); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(d.file("armed")); err != nil || string(b) != "after create\n2\n" {
		t.Errorf("armed is %q, %v", b, err)
	}
	for range 2 { // the second time nothing is armed
		if err := d.Disarm(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.file("armed")); err == nil {
		t.Error("it is still armed")
	}
}
