package tlc

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Message is one message of TLC's tool mode. What the numbers mean is in codes.go.
type Message struct {
	Code     int
	Severity Severity
	Text     string    // with the texts of those inside it; without blank lines around it
	Inside   []Message // TLC may print a message inside another: the cause of an error
}

// Severity is the sort of a message.
type Severity int

// The severities that TLC uses.
const (
	SeverityInfo    Severity = 0
	SeverityError   Severity = 1
	SeverityBug     Severity = 2 // of TLC
	SeverityWarning Severity = 3
	SeverityState   Severity = 4 // a state of a counterexample
)

// maxNesting bounds messages inside messages.
const maxNesting = 20

var startOfMessage = regexp.MustCompile(`^(.*?)@!@!@STARTMSG (-?\d+):(\d+) @!@!@$`)

// split cuts the output into messages. What stands between them (the parser's lines, what Print printed) is given as other.
func split(out []byte) (messages []Message, other string, problem string) {
	var open []Message
	var between strings.Builder
	say := func(line string) {
		if len(open) > 0 {
			open[len(open)-1].Text += line + "\n"
		} else {
			between.WriteString(line + "\n")
		}
	}
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\r\n")
		switch m := startOfMessage.FindStringSubmatch(text); {
		case m != nil:
			if m[1] != "" {
				say(m[1])
			}
			if len(open) == maxNesting {
				return nil, "", "messages inside messages inside messages"
			}
			code, err := strconv.Atoi(m[2])
			severity, err2 := strconv.Atoi(m[3])
			if err != nil || err2 != nil {
				return nil, "", "a message without a number: " + text
			}
			open = append(open, Message{Code: code, Severity: Severity(severity)})
		case strings.HasPrefix(text, "@!@!@ENDMSG") && len(open) > 0:
			last := open[len(open)-1]
			if text != fmt.Sprintf("@!@!@ENDMSG %d @!@!@", last.Code) {
				return nil, "", fmt.Sprintf("message %d ends with %q", last.Code, text)
			}
			last.Text = strings.TrimSpace(last.Text)
			open = open[:len(open)-1]
			if len(open) == 0 {
				messages = append(messages, last)
				continue
			}
			around := &open[len(open)-1]
			around.Inside = append(around.Inside, last)
			around.Text += last.Text + "\n"
		default:
			say(text)
		}
	}
	if len(open) > 0 {
		return nil, "", fmt.Sprintf("the output ends inside message %d", open[len(open)-1].Code)
	}
	if len(messages) == 0 {
		return nil, "", "no output in tool mode"
	}
	return messages, between.String(), ""
}
