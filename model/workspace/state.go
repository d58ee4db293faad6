package workspace

// MostPods is how many pods a [State] has room for.
const MostPods = 3

// NoVolume is the home of a pod that has none.
const NoVolume = -1

// Life is where a pod is between its creation and its end.
type Life string

// The lives of a pod.
const (
	New     Life = ""        // it has never been created
	Making  Life = "making"  // its volume is being made
	There   Life = "there"   // it can be used
	Going   Life = "going"   // somebody has deleted it; what it has is being removed
	Over    Life = "gone"    // it is gone; its identity is never used again
	Unknown Life = "unknown" // a server that has just died or not recovered yet knows nothing
)

// Compute is whether a pod has a container that can be used.
type Compute string

// The states of a pod's compute.
const (
	Asleep   Compute = ""
	Starting Compute = "starting"
	IsReady  Compute = "ready"
)

// Flight is how far a launch is that is under way.
type Flight string

// The ways of a launch.
const (
	NoFlight Flight = ""
	Asked    Flight = "asked"
	MadeIt   Flight = "made" // there is a container, and nothing runs in it
)

// Data is what became of the work in a volume.
type Data string

// What there is in a volume.
const (
	NoWork Data = ""
	Work   Data = "work"
	Lost   Data = "lost"
)

// Woken is by what a pod was started.
type Woken string

// What starts a pod, and what never does.
const (
	NeverWoken Woken = ""
	ByBoot     Woken = "boot"
	ByAccess   Woken = "access"
	ByRead     Woken = "read"
)

// Record is what the store has of a pod.
type Record struct {
	Life Life
	Home int // the number of its volume plus 1; 0 is none. See [Record.Volume]
	Keep bool
	Inc  int
}

// Volume is the volume of a pod's home, or [NoVolume].
func (r Record) Volume() int { return r.Home - 1 }

// HasHome says whether it is a workspace.
func (r Record) HasHome() bool { return r.Home != 0 }

// Box is the container of a pod.
type Box struct {
	Up     bool
	Inc    int
	Home   int // as in [Record]
	Setup  bool
	Marker int
}

// Volume is a volume of the engine.
type Volume struct {
	There, Ours bool
	Data        Data
	Marker      int
}

// Pod is all that there is of one pod, and the volume that has its number.
type Pod struct {
	Life   Life // volatile
	Rec    Record
	State  Compute // volatile
	Flight Flight  // volatile
	Box    Box     // truth
	Vol    Volume  // truth: of the volume with the pod's number, whoever has it
	Kept   bool    // durable, of that volume: it is kept without a pod
	Open   bool    // truth: a terminal is open in its container
	Woken  Woken   // truth, history
	Doomed bool    // truth, history, of the volume: a delete was asked to remove it
	ByHand bool    // truth, history, of the volume: somebody removed it at the engine
}

// State is the pods and their server.
type State struct {
	Down    bool // truth: the server is dead
	Crashes int
	Pods    [MostPods]Pod
}

// Local is a state, and for what an action is taken in it.
type Local struct {
	State
	P, V int
	Keep bool
}

// First is the initial state.
func First() State { return State{} }

// pod is the pod that the action is taken for.
func (l Local) pod() Pod { return l.Pods[l.P] }

// volume is the volume of a home, to be changed; without one, what is changed is nowhere.
func (l *Local) volume(home int) *Volume {
	if home == 0 {
		return &Volume{}
	}
	return &l.Pods[home-1].Vol
}

// home is its volume; where it has none, no volume.
func (l Local) home() Volume {
	if !l.pod().Rec.HasHome() {
		return Volume{}
	}
	return l.Pods[l.pod().Rec.Volume()].Vol
}

// current says whether the container is the one of the last start.
func (p Pod) current() bool { return p.Box.Up && p.Box.Inc == p.Rec.Inc }

// used says whether a container has a volume, one that runs or one that was only made.
func (s State) used(volume int) bool {
	for _, p := range s.Pods {
		if p.Box.Up && p.Box.Home == volume+1 || p.Flight == MadeIt && p.Rec.Home == volume+1 {
			return true
		}
	}
	return false
}

// removed is a volume after its removal.
func (v Volume) removed() Volume {
	if v.Data != NoWork {
		v.Data = Lost
	}
	return Volume{Data: v.Data}
}
