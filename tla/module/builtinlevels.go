package module

// levelRow is what a builtin demands of its arguments and adds to their level. With one argument in max and variadic, all are alike.
type levelRow struct {
	own      Level
	max      []Level
	weighs   bool
	variadic bool
}

// These rows are for what is no Builtin in the resolved form.
const (
	rowJunction Builtin = 1000 + iota
	rowQuantifier
	rowTemporalQuantifier
	rowChoose
	rowSetFilter
	rowSetMap
	rowFunction
	rowRecord
	rowRecordSet
	rowField
	rowExcept
	rowIf
	rowCase
	rowBox
	rowAngle
	rowFairness
)

// levelRows are the levels of the language's own operators, as in the table of SANY's built-in operators.
var levelRows = func() map[Builtin]*definitionLevels {
	const s, a, t = LevelState, LevelAction, LevelTemporal
	rows := map[Builtin]levelRow{
		True: {}, False: {}, Boolean: {}, StringSet: {},
		Not:           {max: []Level{t}, weighs: true},
		Implies:       {max: []Level{t, t}, weighs: true},
		Equivalent:    {max: []Level{t, t}, weighs: true},
		And:           {max: []Level{t, t}, weighs: true},
		Or:            {max: []Level{t, t}, weighs: true},
		Equal:         {max: []Level{a, a}, weighs: true},
		NotEqual:      {max: []Level{a, a}, weighs: true},
		In:            {max: []Level{a, a}, weighs: true},
		NotIn:         {max: []Level{a, a}, weighs: true},
		SubsetEq:      {max: []Level{a, a}, weighs: true},
		Union:         {max: []Level{a, a}, weighs: true},
		Intersect:     {max: []Level{a, a}, weighs: true},
		Difference:    {max: []Level{a, a}, weighs: true},
		Powerset:      {max: []Level{a}, weighs: true},
		BigUnion:      {max: []Level{a}, weighs: true},
		Domain:        {max: []Level{a}, weighs: true},
		FunctionApply: {max: []Level{a, a}, weighs: true},
		SetEnum:       {max: []Level{a}, weighs: true, variadic: true},
		Tuple:         {max: []Level{a}, weighs: true, variadic: true},
		Times:         {max: []Level{a}, weighs: true, variadic: true},
		FunctionSet:   {max: []Level{a}, weighs: true, variadic: true},
		Prime:         {own: a, max: []Level{s}},
		Unchanged:     {own: a, max: []Level{s}},
		Enabled:       {own: s, max: []Level{a}},
		Compose:       {own: a, max: []Level{a, a}},
		Always:        {own: t, max: []Level{t}},
		Eventually:    {own: t, max: []Level{t}},
		LeadsTo:       {own: t, max: []Level{t, t}},
		WhilePlus:     {own: t, max: []Level{t, t}},

		rowJunction:           {max: []Level{t}, weighs: true, variadic: true},
		rowQuantifier:         {max: []Level{t}, weighs: true},
		rowTemporalQuantifier: {own: t, max: []Level{t}},
		rowChoose:             {max: []Level{a}, weighs: true},
		rowSetFilter:          {max: []Level{a}, weighs: true},
		rowSetMap:             {max: []Level{a}, weighs: true},
		rowFunction:           {max: []Level{t}, weighs: true},
		rowRecord:             {max: []Level{t}, weighs: true, variadic: true},
		rowRecordSet:          {max: []Level{a}, weighs: true, variadic: true},
		rowField:              {max: []Level{a}, weighs: true},
		rowExcept:             {max: []Level{a}, weighs: true, variadic: true},
		rowIf:                 {max: []Level{t, t, t}, weighs: true},
		rowCase:               {max: []Level{t}, weighs: true, variadic: true},
		rowBox:                {own: a, max: []Level{a, s}},
		rowAngle:              {own: a, max: []Level{a, s}},
		rowFairness:           {own: t, max: []Level{s, a}},
	}
	names := map[Builtin]string{rowJunction: "a list of conjuncts or disjuncts", rowQuantifier: "a quantifier", rowTemporalQuantifier: "a temporal quantifier",
		rowChoose: "CHOOSE", rowSetFilter: "{x \\in S : ...}", rowSetMap: "{... : x \\in S}", rowFunction: "a function", rowRecord: "a record",
		rowRecordSet: "a set of records", rowField: "a field's record", rowExcept: "EXCEPT", rowIf: "IF", rowCase: "CASE", rowBox: "[A]_v",
		rowAngle: "<<A>>_v", rowFairness: "WF or SF", FunctionApply: "f[x]", SetEnum: "{...}", Tuple: "<<...>>", FunctionSet: "[S -> T]"}
	out := map[Builtin]*definitionLevels{}
	for b, row := range rows {
		d := &definitionLevels{name: names[b], variadic: row.variadic, max: row.max}
		if d.name == "" {
			d.name = b.String()
		}
		d.level = row.own
		for range row.max {
			d.weighs = append(d.weighs, row.weighs)
			d.leibniz = append(d.leibniz, row.weighs)
		}
		out[b] = d
	}
	return out
}()
