package podlifecycle

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bigRow is the row of 17.9 million states.
func bigRow(b *testing.B) expectedRow {
	b.Helper()
	for _, row := range readExpected(b).Rows {
		if row.big() {
			return row
		}
	}
	b.Fatal("testdata/tlc.json has no big row")
	return expectedRow{}
}

// BenchmarkGuardedClients3MaxInc9 counts 17.9 million states with 2 workers. It reports seconds, and the peak resident memory of the
// process; the promise is under 10 s and 2000 MB on 2 cores that nobody else uses. Where a TLC is found (TLC = a command that runs
// it, or tla/tools/tla2tools.jar) the same is done with that, once and with 2 workers, which takes minutes, and the ratios are
// reported: TLC's number over ours.
func BenchmarkGuardedClients3MaxInc9(b *testing.B) {
	row := bigRow(b)
	var ours time.Duration
	for b.Loop() {
		start := time.Now()
		got, err := Count(b.Context(), Table(row.constants()), row.MaxInc, row.Clients, 2)
		if err != nil || got != row.counts() {
			b.Fatalf("counted: %v, %v, TLC: %v", got, err, row.counts())
		}
		ours = time.Since(start)
	}
	oursMB, cpu := usage(b)
	b.ReportMetric(ours.Seconds(), "seconds")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "CPU-seconds")
	b.ReportMetric(oursMB, "peak-MB")

	command := tlcCommand()
	if command == "" {
		b.Log("TLC not found: nothing to compare with (make tlc downloads v1.7.4)")
		return
	}
	seconds, megabytes := runTLC(b, command, row)
	b.ReportMetric(seconds, "TLC-seconds")
	b.ReportMetric(megabytes, "TLC-peak-MB")
	b.ReportMetric(seconds/ours.Seconds(), "times-faster")
	b.ReportMetric(megabytes/oursMB, "times-smaller")
}

// usage is the most memory that this process ever had resident, and the processor time that it used: on a machine that does other
// things too, half of that is nearer to what 2 workers need than the seconds are.
func usage(b *testing.B) (peakMB float64, cpu time.Duration) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Maxrss) / 1024, time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func tlcCommand() string {
	if command := os.Getenv("TLC"); command != "" {
		return command
	}
	jar, err := filepath.Abs("../../tla/tools/tla2tools.jar")
	if err != nil {
		return ""
	}
	if _, err := os.Stat(jar); err != nil {
		return ""
	}
	return "java -XX:+UseParallelGC -cp '" + jar + "' tlc2.TLC"
}

// runTLC checks the same constants with TLC, in a folder of its own.
func runTLC(b *testing.B, command string, row expectedRow) (seconds, megabytes float64) {
	b.Helper()
	dir := b.TempDir()
	spec, err := os.ReadFile("../../tla/PodLifecycle.tla")
	if err != nil {
		b.Fatal(err)
	}
	config := `SPECIFICATION Spec
CONSTANTS Clients = {c1, c2, c3}
c1 = c1 c2 = c2 c3 = c3
MaxInc = ` + strconv.Itoa(row.MaxInc) + `
GuardedAttach = TRUE
INVARIANTS TypeOK NoAttachWithoutShellSetup BootIdempotent
CHECK_DEADLOCK FALSE
`
	for name, text := range map[string]string{"PodLifecycle.tla": string(spec), "PodLifecycle.cfg": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	tlc := exec.CommandContext(b.Context(), "sh", "-c", "exec "+command+" -workers 2 -config PodLifecycle.cfg PodLifecycle.tla")
	tlc.Dir = dir
	start := time.Now()
	out, err := tlc.CombinedOutput()
	seconds = time.Since(start).Seconds()
	if err != nil {
		b.Fatalf("TLC: %v\n%s", err, out)
	}
	counts := regexp.MustCompile(`(\d+) states generated, (\d+) distinct states found, 0 states left`).FindStringSubmatch(string(out))
	if counts == nil || counts[1] != strconv.Itoa(row.Generated) || counts[2] != strconv.Itoa(row.Distinct) {
		b.Fatalf("TLC counts %s, want %v", strings.Join(counts, ", "), row.counts())
	}
	u, ok := tlc.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("the memory that TLC used is not known here")
	}
	return seconds, float64(u.Maxrss) / 1024
}
