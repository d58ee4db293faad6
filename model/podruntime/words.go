package podruntime

import "fmt"

// A value of one of the specification's sets of words is a small number here, and its word in texts and JSON.

func word(words []string, v uint8, kind string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}

func marshalWord(words []string, v uint8, kind string) ([]byte, error) {
	if int(v) < len(words) {
		return []byte(words[v]), nil
	}
	return nil, fmt.Errorf("podruntime: %s has no value %d", kind, v)
}

// unmarshalWord sets v to the number of a word, or leaves it alone and gives an error.
func unmarshalWord[T ~uint8](v *T, words []string, text []byte, kind string) error {
	for i, w := range words {
		if w == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("podruntime: %.40q is no %s, want one of %q", text, kind, words)
}
