package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// value reads one setting's text into a Config and writes it back. set gets exactly one text unless the setting is a list, and says what is wrong with it.
type value struct {
	set func(c *Config, text []string) error
	get func(c *Config) []string
}

func text(at func(*Config) *string, check func(string) error) value {
	return value{
		set: func(c *Config, t []string) error {
			if err := check(t[0]); err != nil {
				return err
			}
			*at(c) = t[0]
			return nil
		},
		get: func(c *Config) []string { return []string{*at(c)} },
	}
}

func list(at func(*Config) *[]string, check func(string) error) value {
	return value{
		set: func(c *Config, t []string) error {
			for _, s := range t {
				if err := check(s); err != nil {
					return err
				}
			}
			*at(c) = append([]string(nil), t...) // nil for none
			return nil
		},
		get: func(c *Config) []string { return *at(c) },
	}
}

func oneOf(at func(*Config) *string, words ...string) value {
	return text(at, func(s string) error {
		if !slices.Contains(words, s) {
			return errors.New("is none of these words")
		}
		return nil
	})
}

func number(at func(*Config) *int, low, high int) value {
	return value{
		set: func(c *Config, t []string) error {
			n, err := strconv.Atoi(t[0])
			if err != nil {
				return errors.New("is not a whole number")
			}
			if n < low || n > high {
				return errors.New("is out of bounds")
			}
			*at(c) = n
			return nil
		},
		get: func(c *Config) []string { return []string{strconv.Itoa(*at(c))} },
	}
}

func duration(at func(*Config) *time.Duration, low, high time.Duration) value {
	return value{
		set: func(c *Config, t []string) error {
			d, err := time.ParseDuration(t[0])
			if err != nil {
				return errors.New("is not a duration with a unit")
			}
			if d < low || d > high {
				return errors.New("is out of bounds")
			}
			*at(c) = d
			return nil
		},
		get: func(c *Config) []string { return []string{formatDuration(*at(c))} },
	}
}

// orNever is a duration of which 0 means never.
func orNever(at func(*Config) *time.Duration, low, high time.Duration) value {
	v := duration(at, low, high)
	set := v.set
	v.set = func(c *Config, t []string) error {
		if d, err := time.ParseDuration(t[0]); err == nil && d == 0 {
			*at(c) = 0
			return nil
		}
		return set(c, t)
	}
	return v
}

// formatDuration leaves out the zero units that time.Duration prints: 30m, not 30m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

var sizePattern = regexp.MustCompile(`^([0-9]{1,15})([kmgt]?)$`)

// size reads bytes as Docker's command line does: 1024-based k, m, g, t.
func size(at func(*Config) *int64, low, high int64) value {
	return value{
		set: func(c *Config, t []string) error {
			m := sizePattern.FindStringSubmatch(strings.ToLower(t[0]))
			if m == nil {
				return errors.New("is not a size")
			}
			n, err := strconv.ParseInt(m[1], 10, 64)
			shift := 10 * (1 + strings.Index("kmgt", m[2])) // an empty unit is found at 0
			if m[2] == "" {
				shift = 0
			}
			if err != nil || n > math.MaxInt64>>shift {
				return errors.New("is out of bounds")
			}
			if n <<= shift; n < low || n > high {
				return errors.New("is out of bounds")
			}
			*at(c) = n
			return nil
		},
		get: func(c *Config) []string {
			n, unit := *at(c), ""
			for _, u := range []string{"k", "m", "g", "t"} {
				if n == 0 || n%1024 != 0 {
					break
				}
				n, unit = n/1024, u
			}
			return []string{strconv.FormatInt(n, 10) + unit}
		},
	}
}

func fraction(at func(*Config) *float64, low, high float64) value {
	return value{
		set: func(c *Config, t []string) error {
			f, err := strconv.ParseFloat(t[0], 64)
			if err != nil || math.IsNaN(f) {
				return errors.New("is not a number")
			}
			if f < low || f > high {
				return errors.New("is out of bounds")
			}
			*at(c) = f
			return nil
		},
		get: func(c *Config) []string { return []string{strconv.FormatFloat(*at(c), 'g', -1, 64)} },
	}
}

func matches(pattern string) func(string) error {
	re := regexp.MustCompile(pattern)
	return func(s string) error {
		if !re.MatchString(s) {
			return errors.New("has another form")
		}
		return nil
	}
}

func anything(string) error { return nil }

// orEmpty lets a setting be switched off by an empty text.
func orEmpty(check func(string) error) func(string) error {
	return func(s string) error {
		if s == "" {
			return nil
		}
		return check(s)
	}
}

func printable(s string) error {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return fmt.Errorf("has a character that cannot be shown (%U)", r)
		}
	}
	return nil
}

func number64(at func(*Config) *int64, low, high int) value {
	var n int
	v := number(func(*Config) *int { return &n }, low, high)
	return value{
		set: func(c *Config, t []string) error {
			if err := v.set(c, t); err != nil {
				return err
			}
			*at(c) = int64(n)
			return nil
		},
		get: func(c *Config) []string { return []string{strconv.FormatInt(*at(c), 10)} },
	}
}

func level(at func(*Config) *slog.Level) value {
	words := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	return value{
		set: func(c *Config, t []string) error {
			l, ok := words[t[0]]
			if !ok {
				return errors.New("is none of these words")
			}
			*at(c) = l
			return nil
		},
		get: func(c *Config) []string { return []string{strings.ToLower(at(c).String())} },
	}
}
