package agent

import "testing"

// An event is found after the terminal codes that precede it, and other text is unchanged.
func TestParseObjectBehindTerminalCodes(t *testing.T) {
	t.Parallel()
	const reset = "\x1b[?1006l\x1b[?1003l\x1b(B\x0f\x1b[>4m\x1b[<u\x1b[?25h\x1b7\x1b[r\x1b8\x1b]0;\x07\x1b]0;x\x1b\\"
	for line, want := range map[string]string{
		`{"type":"a"}`:                 "a",
		reset + `{"type":"a"}`:         "a",
		"\x03" + `{"type":"a"}`:        "a",
		reset + `words {"type":"a"}`:   "",
		reset + "\x1b]0;" + `{"type":`: "",
		reset:                          "",
	} {
		var e struct{ Type string }
		if parseObject(&transcriptWriter{}, []byte(line), &e) != (want != "") || e.Type != want {
			t.Errorf("parseObject(%q) has type %q, want %q", line, e.Type, want)
		}
	}
}
