package lockstep

// claim is a path, and what it says of the product.
type claim struct {
	name   string
	docker bool // it is one of those that run on Docker
	path   string
}

// The beginnings of many paths: one tab has booted, with everything held that can be; and it has a terminal.
const (
	begun   = "StartBoot(c1) CreateContainer(1) StartContainer(1) BeginScript(1) "
	marked  = begun + "ScriptWorks(1) ScriptWorks(1) ScriptMarks(1) "
	ready   = marked + "ScriptSucceeded(1) FinishBoot(c1, 1) EndRun(1) "
	opened  = ready + "Probe(c1) Dial(c1) AttachReady(c1) "
	ready2  = "StartBoot(c1) CreateContainer(2) StartContainer(2) BeginScript(2) ScriptWorks(2) ScriptWorks(2) ScriptMarks(2) ScriptSucceeded(2) FinishBoot(c1, 2) EndRun(2) "
	wakes2  = "StartBoot(c1) CreateContainer(2) StartContainer(2) BeginScript(2) ScriptWorks(2) ScriptWorks(2) ScriptMarks(2) ScriptSucceeded(2) "
	removed = "TearDown(1) DestroyAnswered "
)

func claims() []claim {
	return []claim{
		{"a tab boots, types, leaves, comes back, and is told when the pod is destroyed", true,
			opened + "Detach(c1) Probe(c1) Dial(c1) AttachAgain(c1) Destroy Reconnect(c1) AttachGuarded(c1) " + removed},
		{"an idle pod sleeps, and the next boot is the next incarnation", false, ready + "IdleSleep TearDown(1) AttachGuarded(c1) " + ready2},
		{"a terminal that is open keeps the pod awake, and its end lets it sleep", false, opened + "Detach(c1) IdleSleep Reconnect(c1) " + removed},
		{"two tabs share one run, whatever they do meanwhile", false,
			"StartBoot(c1) CreateContainer(1) StartBoot(c2) StartContainer(1) BeginScript(1) ScriptWorks(1) ScriptWorks(1) ScriptMarks(1) ScriptSucceeded(1) FinishBoot(c2, 1) FinishBoot(c1, 1) EndRun(1) " +
				"Probe(c1) Probe(c2) Dial(c2) Dial(c1) AttachReady(c1) AttachReady(c2) Destroy Reconnect(c1) Reconnect(c2)"},
		{"a launch that fails leaves a container, which goes", true, "StartBoot(c1) CreateContainer(1) LaunchFails(1) BootFailed(1) BootLost(c1) " + removed},
		{"a destroy waits for a launch that is under way", false, "StartBoot(c1) CreateContainer(1) Destroy BootLost(c1) StartContainer(1) DropReply(1) " + removed},
		{"a launch that fails after a destroy leaves nothing", false, "StartBoot(c1) CreateContainer(1) Destroy BootLost(c1) LaunchFails(1) DropReply(1) " + removed},
		{"a boot that was destroyed before it began makes nothing", false, "StartBoot(c1) Destroy BootLost(c1) DropReply(1) " + removed},
		{"the next incarnation's container waits for the removal of the one before", false,
			ready + "Destroy AttachGuarded(c1) StartBoot(c1) TearDown(1) CreateContainer(2) StartContainer(2) BeginScript(2)"},
		{"and so does the run that can be held before it asks", false,
			ready + "Destroy AttachGuarded(c1) StartBoot(c1) TearDown(1) StartBoot(c2) CreateContainer(2) StartContainer(2) BeginScript(2)"},
		{"a late success completes nothing", true, marked + "ScriptSucceeded(1) Destroy BootLost(c1) StartBoot(c1) DropReply(1) TearDown(1) " + wakes2[len("StartBoot(c1) "):] + "FinishBoot(c1, 2) EndRun(2)"},
		{"a late failure ends nothing", false, begun + "ScriptFails(1) ScriptFailed(1) Destroy BootLost(c1) TearDown(1) " + wakes2 + "FinishBoot(c1, 2) EndRun(2) DropReply(1)"},
		{"a step that fails ends the incarnation", true, begun + "ScriptWorks(1) ScriptFails(1) ScriptFailed(1) BootFailed(1) BootLost(c1) " + removed},
		{"so does a boot that fails before its first step", true, begun + "ScriptFails(1) ScriptFailed(1) BootFailed(1) BootLost(c1) " + removed},
		{"a container that dies under its script is lost", true, begun + "ScriptWorks(1) ContainerDies(1) ScriptGone(1) BootFailed(1) BootLost(c1) " + removed},
		{"one that dies with its result on the way is lost too", false, marked + "ContainerDies(1) ScriptGone(1) BootFailed(1) BootLost(c1) " + removed},
		{"one that dies before its script is lost without a script", false, "StartBoot(c1) CreateContainer(1) StartContainer(1) ContainerDies(1) ScriptGone(1) BootFailed(1) BootLost(c1) " + removed},
		{"one that dies under a terminal is lost", true, opened + "ContainerDies(1) ContainerLost Reconnect(c1) " + removed},
		{"a death that is seen before the script's end ends the boot", false, begun + "ContainerDies(1) ContainerLost BootLost(c1) ScriptGone(1) DropReply(1) " + removed},
		{"a second boot of a ready pod skips the script", false, ready + "StartBoot(c2) BeginScript(1) ScriptSkips(1) ScriptSucceeded(1) FinishBoot(c2, 1) EndRun(1)"},
		{"a second boot that fails takes nothing from those who work", false,
			opened + "MarkerRemoved(1) StartBoot(c2) BeginScript(1) ScriptFails(1) ScriptFailed(1) FinishBoot(c2, 1) EndRun(1) Detach(c1)"},
		{"nor does one whose engine is away", false, opened + "StartBoot(c2) BeginScript(1) ScriptFails(1) ScriptFailed(1) FinishBoot(c2, 1) EndRun(1) Detach(c1)"},
		{"a marker that is gone is written again before anybody gets in", false,
			ready + "MarkerRemoved(1) Probe(c1) DialFails(c1) Repair BeginScript(1) ScriptMarks(1) ScriptSucceeded(1) EndRun(1) Probe(c1) Dial(c1) AttachReady(c1)"},
		{"the attach that found it gone goes on by itself when it is there again", true,
			ready + "MarkerRemoved(1) Probe(c1) DialFails(c1) Repair BeginScript(1) ScriptMarks(1) ScriptSucceeded(1) EndRun(1) Probe(c1) Dial(c1) AttachReady(c1) Destroy Reconnect(c1)"},
		{"and not where the run ends otherwise", false,
			ready + "MarkerRemoved(1) Probe(c1) DialFails(c1) Repair BeginScript(1) Destroy ScriptMarks(1) ScriptSucceeded(1) DropReply(1) AttachGuarded(c1)"},
		{"an attach that finds the container dead says so", true, ready + "Probe(c1) ContainerDies(1) DialFails(c1) ContainerLost AttachGuarded(c1) " + removed},
		{"also to a tab that had a terminal there", false, opened + "Detach(c1) Probe(c1) ContainerDies(1) DialFails(c1) ContainerLost Reconnect(c1) AttachGuarded(c1) " + removed},
		{"and beside a terminal that is open", false, opened + "MarkerRemoved(1) Repair BeginScript(1) ScriptMarks(1) ScriptSucceeded(1) EndRun(1) Detach(c1)"},
		{"a shell that was started in an incarnation that is over is not handed over", true,
			ready + "Probe(c1) Dial(c1) Destroy StartBoot(c2) TearDown(1) CreateContainer(2) StartContainer(2) BeginScript(2) ScriptWorks(2) ScriptWorks(2) ScriptMarks(2) ScriptSucceeded(2) " +
				"FinishBoot(c2, 2) EndRun(2) AttachMoved(c1) Probe(c1) Dial(c1) AttachReady(c1)"},
		{"nor while the next one boots", false, ready + "Probe(c1) Dial(c1) Destroy TearDown(1) StartBoot(c2) AttachGuarded(c1)"},
		{"nor to a client that has left", false, ready + "Probe(c1) Dial(c1) Destroy AttachMoved(c1) AttachGuarded(c1) " + removed},
		{"a dial between the sleep and the removal is refused in the end", false, ready + "Probe(c1) IdleSleep Dial(c1) TearDown(1) AttachGuarded(c1) DestroyAnswered"},
		{"a ready pod outlives its server", true, opened + "Crash RecoverReady StartBoot(c1) BeginScript(1) ScriptSkips(1) ScriptSucceeded(1) FinishBoot(c1, 1) EndRun(1) Probe(c1) Dial(c1) AttachReady(c1)"},
		{"and is set up in place by the next recipe", true,
			opened + "CrashOtherRecipe RecoverReady StartBoot(c1) BeginScript(1) ScriptWorks(1) ScriptMarks(1) ScriptSucceeded(1) FinishBoot(c1, 1) EndRun(1) Probe(c1) Dial(c1) AttachReady(c1)"},
		{"a boot that lost its server is not adopted", true, begun + "ScriptWorks(1) Crash RecoverAsleep TearDown(1) DestroyAnswered " + ready2},
		{"but one whose script has come to its end meanwhile is", true, begun + "ScriptWorks(1) Crash ScriptWorks(1) ScriptMarks(1) RecoverReady IdleSleep TearDown(1)"},
		{"a server that dies between the wake and the launch has given the number away", false, "StartBoot(c1) Crash RecoverAsleep " + ready2},
		{"a removal that lost its server is done by the next", false, ready + "Destroy Crash RecoverAsleep " + removed + ready2},
		{"a container that dies while no server runs is found lost", false, opened + "Crash ContainerDies(1) RecoverAsleep " + removed},
	}
}
