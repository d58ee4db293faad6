package library

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"unicode/utf8"

	"podlife/tla/value"
)

// ioUtils is the module IOUtils.
func ioUtils(t table) {
	t.volatile("IOUtils", "IOSerialize", 3, func(env *Env, args []value.Value) value.Value {
		const op = "IOSerialize"
		path, compress := text(op, "second", args[1]), boolean(op, "third", args[2])
		env.mustWrite(op, path, encodeTLC(env.Work.Normalize(args[0]), compress), replacing, false)
		return value.Bool(true)
	})
	t.volatile("IOUtils", "IODeserialize", 2, func(env *Env, args []value.Value) value.Value {
		const op = "IODeserialize"
		path, compressed := text(op, "first", args[0]), boolean(op, "second", args[1])
		data, _ := env.mustRead(op, path, false)
		v, err := decodeTLC(data, compressed)
		if err != nil {
			value.Raise(CodeIO, "%s: %s: %v", op, path, err)
		}
		return v
	})
	t.volatile("IOUtils", "Serialize", 3, serialize)
	t.volatile("IOUtils", "Deserialize", 2, deserialize)
	t.volatile("IOUtils", "IOExec", 1, func(env *Env, args []value.Value) value.Value {
		return env.run("IOExec", nil, stringsOf("IOExec", "first", args[0]))
	})
	t.volatile("IOUtils", "IOEnvExec", 2, func(env *Env, args []value.Value) value.Value {
		return env.run("IOEnvExec", variables("IOEnvExec", args[0]), stringsOf("IOEnvExec", "second", args[1]))
	})
	t.volatile("IOUtils", "IOExecTemplate", 2, func(env *Env, args []value.Value) value.Value {
		const op = "IOExecTemplate"
		return env.run(op, nil, filled(op, stringsOf(op, "first", args[0]), stringsOf(op, "second", args[1])))
	})
	t.volatile("IOUtils", "IOEnvExecTemplate", 3, func(env *Env, args []value.Value) value.Value {
		const op = "IOEnvExecTemplate"
		return env.run(op, variables(op, args[0]), filled(op, stringsOf(op, "second", args[1]), stringsOf(op, "third", args[2])))
	})
	t.volatile("IOUtils", "IOEnv", 0, environment)
	t.fixed("IOUtils", "atoi", 1, func(_ *Env, args []value.Value) value.Value {
		s := text("atoi", "first", args[0])
		digits := strings.TrimPrefix(s, "+")
		n, ok := new(big.Int).SetString(digits, 10)
		if !ok || strings.ContainsAny(digits, "+_") || len(digits) > maxDigits {
			wrong("atoi", "first", "a string that is a number", args[0])
		}
		return value.NewBig(n)
	})
}

// stringsOf gives a sequence of strings.
func stringsOf(op, which string, v value.Value) []string {
	elems := sequence(op, which, v)
	texts := make([]string, len(elems))
	for i, e := range elems {
		texts[i] = text(op, which, e)
	}
	return texts
}

// filled puts the parameters into each part of a command's template.
func filled(op string, template, parameters []string) []string {
	command := make([]string, len(template))
	for i, part := range template {
		filled, err := format(part, parameters)
		if err != nil {
			value.Raise(value.CodeType, "%s: %v", op, err)
		}
		command[i] = filled
	}
	return command
}

// variables gives a record as environment variables, each "NAME=value". Strings go without their quotation marks.
func variables(op string, v value.Value) []string {
	r := record(op, "first", v)
	all := make([]string, r.Len())
	for i := range all {
		shown := r.At(i).String()
		if s, ok := r.At(i).(*value.Str); ok {
			shown = s.Text()
		}
		all[i] = r.Shape().Name(i) + "=" + shown
	}
	return all
}

// environment is IOEnv. Of a variable that is there twice, the last counts.
func environment(env *Env, _ []value.Value) value.Value {
	if env.Environ == nil {
		value.Raise(CodeRefused, "IOEnv: reading the environment variables is not allowed here")
	}
	var names []string
	vals := map[string]value.Value{}
	for _, entry := range env.Environ() {
		// A name may start with "=" on Windows.
		name, val, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			continue
		}
		if _, again := vals[name]; !again {
			names = append(names, name)
		}
		vals[name] = value.NewString(val)
	}
	return recordOf(names, func(name string) value.Value { return vals[name] })
}

// execRecord is the record that operators give which run a program or read and write a file.
func execRecord(exitValue int, stdout, stderr string) value.Value {
	shape := value.ShapeOf("exitValue", "stdout", "stderr")
	vals := make([]value.Value, shape.Len())
	vals[shape.Index("exitValue")] = value.NewInt(int64(exitValue))
	vals[shape.Index("stdout")] = value.NewString(stdout)
	vals[shape.Index("stderr")] = value.NewString(stderr)
	return value.NewRecord(shape, vals)
}

// outcome is the record for an error of a file; one that is not allowed raises.
func outcome(op, stdout string, err error) value.Value {
	var refused *refusal
	if errors.As(err, &refused) {
		raiseIO(op, err)
	}
	if err != nil {
		return execRecord(1, "", op+": "+err.Error())
	}
	return execRecord(0, stdout, "")
}

func serialize(env *Env, args []value.Value) value.Value {
	const op = "Serialize"
	options := record(op, "third", args[2])
	path := text(op, "second", args[1])
	kind := text(op, "third", field(op, "third", options, "format"))
	var data []byte
	var err error
	switch kind {
	case "TXT":
		data, err = encodeText(text(op, "first", args[0]), text(op, "third", field(op, "third", options, "charset")))
	case "NDJSON":
		data, err = encodeText(string(jsonLines(sequence(op, "first", args[0]))), text(op, "third", field(op, "third", options, "charset")))
	default:
		value.Raise(CodeUnsupported, "%s: the format %q is not among \"TXT\" and \"NDJSON\"", op, kind)
	}
	if err == nil {
		var flags int
		flags, err = openFlags(stringsOf(op, "third", field(op, "third", options, "openOptions")))
		if err == nil {
			err = env.Files.write(path, data, flags, false)
		}
	}
	if kind == "NDJSON" {
		raiseIO(op, err)
		return value.Bool(true)
	}
	return outcome(op, "written", err)
}

func deserialize(env *Env, args []value.Value) value.Value {
	const op = "Deserialize"
	options := record(op, "second", args[1])
	path := text(op, "first", args[0])
	if kind := text(op, "second", field(op, "second", options, "format")); kind != "TXT" {
		value.Raise(CodeUnsupported, "%s: the format %q is not \"TXT\"", op, kind)
	}
	data, err := env.Files.read(path)
	var content string
	if err == nil {
		content, err = decodeText(data, text(op, "second", field(op, "second", options, "charset")))
	}
	return outcome(op, content, err)
}

// openFlags are the flags of os.OpenFile for Java's names of how to open a file.
func openFlags(options []string) (flags int, err error) {
	flags = os.O_WRONLY
	for _, o := range options {
		switch o {
		case "WRITE", "SPARSE":
		case "APPEND":
			flags |= os.O_APPEND
		case "TRUNCATE_EXISTING":
			flags |= os.O_TRUNC
		case "CREATE":
			flags |= os.O_CREATE
		case "CREATE_NEW":
			flags |= os.O_CREATE | os.O_EXCL
		case "SYNC", "DSYNC":
			flags |= os.O_SYNC
		default:
			return 0, fmt.Errorf("the open option %q is not among WRITE, APPEND, TRUNCATE_EXISTING, CREATE, CREATE_NEW, SPARSE, SYNC and DSYNC", o)
		}
	}
	return flags, nil
}

// encodeText and decodeText know three character sets by the names that Java gives them.
func encodeText(s, charset string) ([]byte, error) {
	most := rune(utf8.MaxRune)
	switch charset {
	case "UTF-8":
		return []byte(s), nil
	case "US-ASCII":
		most = 0x7f
	case "ISO-8859-1":
		most = 0xff
	default:
		return nil, unknownCharset(charset)
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > most {
			return nil, fmt.Errorf("the character %q is not in %s", r, charset)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

func decodeText(data []byte, charset string) (string, error) {
	switch charset {
	case "UTF-8":
		if !utf8.Valid(data) {
			return "", errors.New("the file is not in UTF-8")
		}
		return string(data), nil
	case "US-ASCII", "ISO-8859-1":
		out := make([]rune, len(data))
		for i, b := range data {
			if b > 0x7f && charset == "US-ASCII" {
				return "", errors.New("the file is not in US-ASCII")
			}
			out[i] = rune(b)
		}
		return string(out), nil
	}
	return "", unknownCharset(charset)
}

func unknownCharset(charset string) error {
	return fmt.Errorf("the character set %q is not among UTF-8, US-ASCII and ISO-8859-1", charset)
}
