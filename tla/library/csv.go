package library

import (
	"regexp"
	"strings"

	"podlife/tla/value"
)

// csvModule is the module CSV. Values are written as they are printed: strings with their quotation marks, nothing escaped.
func csvModule(t table) {
	t.volatile("CSV", "CSVWrite", 3, func(env *Env, args []value.Value) value.Value {
		const op = "CSVWrite"
		template, path := text(op, "first", args[0]), text(op, "third", args[2])
		line, err := format(template, printed(sequence(op, "second", args[1])))
		if err != nil {
			value.Raise(value.CodeType, "%s: %v", op, err)
		}
		env.mustWrite(op, path, []byte(line+"\n"), appending, false)
		return value.Bool(true)
	})
	t.volatile("CSV", "CSVWriteRecord", 4, func(env *Env, args []value.Value) value.Value {
		const op = "CSVWriteRecord"
		r := record(op, "first", env.Work.Normalize(args[0]))
		delimiter, path := text(op, "second", args[1]), text(op, "fourth", args[3])
		out := strings.Join(printed(r.Vals()), delimiter) + "\n"
		if boolean(op, "third", args[2]) {
			out = strings.Join(r.Shape().Names(), delimiter) + "\n" + out
		}
		env.mustWrite(op, path, []byte(out), appending, false)
		return value.Bool(true)
	})
	t.volatile("CSV", "CSVRead", 3, csvRead)
	t.volatile("CSV", "CSVRecords", 1, func(env *Env, args []value.Value) value.Value {
		data, _ := env.mustRead("CSVRecords", text("CSVRecords", "first", args[0]), true)
		return value.NewInt(int64(len(lines(data))))
	})
}

// printed is each value as it is printed.
func printed(vals []value.Value) []string {
	texts := make([]string, len(vals))
	for i, v := range vals {
		texts[i] = v.String()
	}
	return texts
}

// csvRead gives each line of a file as a record of strings. The delimiter is a regular expression, as in TLC. Lines may have more cells than there are
// columns; in one that has fewer, the others are empty only if the line is right for that: "a,,".
func csvRead(env *Env, args []value.Value) value.Value {
	const op = "CSVRead"
	var columns []string
	for _, c := range sequence(op, "first", args[0]) {
		columns = append(columns, text(op, "first", c))
	}
	delimiter, path := text(op, "second", args[1]), text(op, "third", args[2])
	separator, err := regexp.Compile(delimiter)
	if err != nil || delimiter == "" {
		value.Raise(value.CodeType, "%s: the delimiter %q is not a regular expression that matches something", op, delimiter)
	}
	if len(columns) == 0 {
		value.Raise(value.CodeType, "%s: there are no columns", op)
	}
	shape := value.ShapeOf(columns...)
	data, _ := env.mustRead(op, path, true)
	var records []value.Value
	for n, line := range lines(data) {
		cells := separator.Split(line, -1)
		if len(cells) < len(columns) {
			value.Raise(CodeIO, "%s: %s:%d: the line has %d cells, but there are %d columns", op, path, n+1, len(cells), len(columns))
		}
		vals := make([]value.Value, len(columns))
		for i, c := range columns {
			vals[shape.Index(c)] = value.NewString(cells[i])
		}
		records = append(records, value.NewRecord(shape, vals))
	}
	return value.NewTuple(records)
}
