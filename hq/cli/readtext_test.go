package cli

import (
	"strings"
	"testing"
)

// A text is read whole or refused, never cut or changed.
func TestReadText(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	for in, want := range map[string]string{
		"one\n":                              "one\n",
		"\ufeff# One\n":                      "# One\n",
		"caf\xe9":                            "read standard input: line 1 has the byte 0xe9",
		strings.Repeat(" ", most) + "\nmore": "standard input is larger than 1 MiB",
	} {
		got, err := readText(&streams{in: strings.NewReader(in)}, "-", most)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || err == nil && got != want {
			t.Errorf("%.20q is read as %.80q, want %q", in, got, want)
		}
	}
}
