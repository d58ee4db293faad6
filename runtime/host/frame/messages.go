package frame

const (
	maxTab      = 64
	maxName     = 256
	maxPath     = 4 << 10
	maxVariable = 4 << 10
	maxEnv      = 64
	maxTabs     = 512
	maxArgs     = 1024
	maxArg      = 64 << 10
	// MaxDetail is how long what Refused says for people may be, in bytes.
	MaxDetail = 1 << 10
)

// Hello is what a server says first.
type Hello struct{ Version uint16 }

// Welcome is what a host says first.
type Welcome struct {
	Version  uint16
	Instance string // names this life of the host: two that are equal have the same sessions
}

// Marker is what a container must have been provisioned as, for a shell to be opened in it.
type Marker struct {
	Pod         string
	Incarnation uint64
	Recipe      string
}

// Open wants a terminal. It is answered with Opened or Refused, by its request.
type Open struct {
	Request, Viewer uint32 // both chosen by the server; a viewer's number is in use until it is closed
	Tab             string // [A-Za-z0-9_-]{1,64}
	Want            Marker
	Cols, Rows      uint16   // 0: not known yet; more than 1000 counts as 1000
	Dir             string   // where a new shell starts, when it exists
	Env             []string // NAME=value, for a new shell
	Argv            []string // what a new session runs in place of the shell; empty is the shell
	Epoch           uint64   // of the session that the viewer knows, 0 for none
	Have            uint64   // up to which offset it has that session's output
	ReadOnly        bool
}

// Follow wants to be told what a session says, as a recording does. It is answered as Open is, and refused with no_tab where there is no such session: it starts none. Who follows is not one of those who look:
// it types nothing, decides no size, is in no list's count, and nobody waits for it.
type Follow struct {
	Request, Viewer uint32 // as Open has them
	Want            Marker
	Epoch, Have     uint64
}

// Opened says that the viewer is in a session. Without Reset what follows is exactly the output from From on, which is Have. With Reset a picture follows first, in Reset messages, and then the output from
// From on.
type Opened struct {
	Request, Viewer  uint32
	Epoch, From      uint64
	Reset            bool
	Lo, Hi           uint64
	Cols, Rows       uint16
	Tab              string // the session's name now
	Started, Running bool   // Started: this request started the process; Running: it has not exited yet
}

// Reason is why something was refused: one of those here, or what the check of the marker says.
type Reason string

// Reasons of the host's own.
const (
	NoShell         Reason = "no_shell"          // no shell can be run; Code is 126 or 127, as a shell would say it
	NoCommand       Reason = "no_command"        // likewise, of a program that Run names
	TooManySessions Reason = "too_many_sessions" // also: no memory is left for their output
	NoTab           Reason = "no_tab"
	NameTaken       Reason = "name_taken"
	TooManyViewers  Reason = "too_many_viewers"
	BadRequest      Reason = "bad_request"
	InputFull       Reason = "input_full" // the program takes no input; what was typed or pasted was dropped, all of that message
	ReadOnly        Reason = "read_only"  // the viewer may only look
	Stopping        Reason = "stopping"   // the host is stopping
	BadVersion      Reason = "bad_version"
	Failed          Reason = "failed" // Detail says what
)

// Refused answers a request that cannot be done, or says of a viewer (Request is 0) that its input was not taken.
type Refused struct {
	Request, Viewer uint32
	Reason          Reason
	Code            uint16
	Detail          string // at most MaxDetail bytes, for people
}

// Run wants a program without a terminal, for as long as its number is not closed and the connection is there. It is answered with Ran or Refused, by its request.
type Run struct {
	Request, Viewer uint32 // as Open has them
	Want            Marker
	Argv            []string // 1 to 1024; together they must fit into a frame
	Dir             string   // where it starts, when that exists
	Exactly         bool     // Dir has to be there; else a program whose Dir is not there starts where a shell does
	Env             []string // NAME=value
}

// Ran says that the program runs. Its Output and Errors are counted together: the offsets of both go on from one to the other, and Ack is of both. It waits when too much is not acknowledged.
// Of its input there may be 256 KiB that Taken has not told of.
type Ran struct{ Request, Viewer uint32 }

// Errors is a piece of what a program writes to its standard error.
type Errors struct {
	Viewer uint32
	Offset uint64 // of the first byte, in both outputs
	Data   []byte
}

// Taken says how much of a viewer's input, or of a command's, the program has taken, or will never take. What was refused does not count.
type Taken struct {
	Viewer uint32
	Offset uint64
}

// EOF ends a program's input.
type EOF struct{ Viewer uint32 }

// Signal sends a program, and what it has started in its group, a signal, by its name, such as SIGINT.
type Signal struct {
	Viewer uint32
	Name   string
}

// Input is what was typed or pasted, or what a program is to read, at most MaxData bytes.
type Input struct {
	Viewer uint32
	Data   []byte
}

// Resize says that the viewer's window has another size. 0 is ignored, more than 1000 counts as 1000.
type Resize struct {
	Viewer     uint32
	Cols, Rows uint16
}

// Ack says that the viewer has dealt with the output up to an offset.
type Ack struct {
	Viewer uint32
	Offset uint64
}

// Close says that the viewer leaves. The session lives on.
type Close struct{ Viewer uint32 }

// End ends a tab's session: a hangup, and what does not heed it is killed. Answered with Ended, also when there is none.
type End struct {
	Request uint32
	Tab     string
}

// Rename gives a tab's session another name. Answered with Ended; Refused with no_tab if none of that name runs, and with name_taken if one of the other does.
type Rename struct {
	Request uint32
	Tab, To string
}

// List asks for the tabs. Answered with Listed.
type List struct{ Request uint32 }

// Output is a piece of a session's output, at most MaxData bytes.
type Output struct {
	Viewer uint32
	Offset uint64 // of the first byte
	Data   []byte
}

// Reset is a piece of a picture: what takes a terminal in any state to where the session is at From, without what a terminal would answer to. The first and the last piece say so.
type Reset struct {
	Viewer      uint32
	Start, From uint64 // the picture was made of the output from Start on; the output goes on at From
	First, Last bool
	Data        []byte
}

// Size says which size the terminal has now, and who decided: a viewer of the same connection, or 0.
type Size struct {
	Viewer     uint32
	Cols, Rows uint16
	By         uint32
}

// Exit says that the process has ended. It comes after all output, whose end At is.
type Exit struct {
	Viewer uint32
	Code   uint16 // 128 and the number for a signal
	Signal string // its name, such as SIGKILL, or empty
	At     uint64
}

// Listed has all tabs with a running process, and those that have exited and are still kept.
type Listed struct {
	Request uint32
	Tabs    []Tab
}

// Tab is one of them.
type Tab struct {
	Name      string
	Epoch, Hi uint64
	Viewers   uint16
	Started   uint64 // milliseconds since 1970
	LastInput uint64 // the same; 0 for never
	Exited    bool
	Code      uint16
}

// Ended answers End, the process is gone, and Rename, the name is the other.
type Ended struct{ Request uint32 }

func (*Hello) kind() Type   { return TypeHello }
func (*Welcome) kind() Type { return TypeWelcome }
func (*Open) kind() Type    { return TypeOpen }
func (*Opened) kind() Type  { return TypeOpened }
func (*Refused) kind() Type { return TypeRefused }
func (*Input) kind() Type   { return TypeInput }
func (*Resize) kind() Type  { return TypeResize }
func (*Ack) kind() Type     { return TypeAck }
func (*Close) kind() Type   { return TypeClose }
func (*End) kind() Type     { return TypeEnd }
func (*List) kind() Type    { return TypeList }
func (*Output) kind() Type  { return TypeOutput }
func (*Reset) kind() Type   { return TypeReset }
func (*Size) kind() Type    { return TypeSize }
func (*Exit) kind() Type    { return TypeExit }
func (*Listed) kind() Type  { return TypeListed }
func (*Ended) kind() Type   { return TypeEnded }
func (*Run) kind() Type     { return TypeRun }
func (*Ran) kind() Type     { return TypeRan }
func (*Errors) kind() Type  { return TypeErrors }
func (*Taken) kind() Type   { return TypeTaken }
func (*EOF) kind() Type     { return TypeEOF }
func (*Signal) kind() Type  { return TypeSignal }
func (*Rename) kind() Type  { return TypeRename }
func (*Follow) kind() Type  { return TypeFollow }
