package library

import (
	"math"
	"strconv"

	"podlife/tla/value"
)

// statistics is the module Statistics.
func statistics(t table) {
	t.fixed("Statistics", "ChiSquare", 3, chiSquare)
}

// chiSquare is TRUE unless Pearson's test rejects, at the significance level, that the actual counts come from a distribution with the expected ones. The
// expected counts are scaled when their sum is another than that of the actual ones.
func chiSquare(_ *Env, args []value.Value) value.Value {
	const op = "ChiSquare"
	_, expectedVals := function(op, "first", args[0])
	_, actualVals := function(op, "second", args[1])
	level, err := strconv.ParseFloat(text(op, "third", args[2]), 64)
	if err != nil || !(level > 0 && level <= 0.5) {
		wrong(op, "third", "a string with a number above 0 and at most 0.5", args[2])
	}
	if len(expectedVals) != len(actualVals) || len(expectedVals) < 2 {
		value.Raise(value.CodeType, "%s needs as many expected counts as actual ones, and at least two: there are %d and %d", op, len(expectedVals), len(actualVals))
	}
	expected, actual := make([]float64, len(expectedVals)), make([]float64, len(actualVals))
	var sumExpected, sumActual float64
	for i := range expected {
		e, a := smallInteger(op, "first", expectedVals[i]), natural(op, "second", actualVals[i])
		if e <= 0 {
			wrong(op, "first", "a function to integers above 0", args[0])
		}
		expected[i], actual[i] = float64(e), float64(a)
		sumExpected, sumActual = sumExpected+expected[i], sumActual+actual[i]
	}
	if sumActual == 0 {
		value.Raise(value.CodeType, "%s needs an actual count above 0: %s", op, show(args[1]))
	}
	var statistic float64
	for i, e := range expected {
		e *= sumActual / sumExpected
		statistic += (actual[i] - e) * (actual[i] - e) / e
	}
	p := upperGamma(float64(len(expected)-1)/2, statistic/2)
	return value.Bool(p >= level)
}

// upperGamma is the regularised upper incomplete gamma function Q(a, x) for a above 0 and x at least 0: with a = k/2, the probability that a chi-square
// variable with k degrees of freedom is above 2x. Press et al., Numerical Recipes, 6.2: a series where that converges soon, or else a
// continued fraction by the modified method of Lentz.
func upperGamma(a, x float64) float64 {
	if x <= 0 {
		return 1
	}
	const steps, enough, tiny = 10_000, 1e-15, 1e-300
	lg, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - lg)
	if x < a+1 {
		term := 1 / a
		sum := term
		for n := 1; n < steps && math.Abs(term) > enough*math.Abs(sum); n++ {
			term *= x / (a + float64(n))
			sum += term
		}
		return 1 - front*sum
	}
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for n := 1; n < steps; n++ {
		an := -float64(n) * (float64(n) - a)
		b += 2
		d = an*d + b
		if math.Abs(d) < tiny {
			d = tiny
		}
		c = b + an/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		h *= d * c
		if math.Abs(d*c-1) < enough {
			break
		}
	}
	return front * h
}
