package join

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func filtered(writes ...string) string {
	var out bytes.Buffer
	f := NewFilter(&out)
	for _, w := range writes {
		_, _ = f.Write([]byte(w)) // a buffer takes everything
	}
	return out.String()
}

// What HQ draws with reaches the terminal as it is.
func TestWhatIsDrawnPasses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"plain text, and ● wide 界 too\r\n", "\a\b\t", "\x1b[1;38;2;1;2;3;4:3m\x1b[0m\x1b[m",
		"\x1b[3;4H\x1b[2J\x1b[K\x1b[12X\x1b[3b",
		"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1002;1006h\x1b[?2026h\x1b[?2026l",
		"\x1b[2;9r\x1b[3S\x1b[L\x1b[2M\x1b[4@\x1b[P",
		"\x1b[>1u\x1b[<u\x1b[=5;1u\x1b[>4;2m\x1b[>4m", "\x1b[2 q\x1b7\x1b8\x1bM\x1b=\x1b>", "\x1b[?5W",
	} {
		if got := filtered(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
		if got := filtered(strings.Split(s, "")...); got != s {
			t.Errorf("a byte at a time %q became %q", s, got)
		}
	}
}

// Nothing of another machine acts on the terminal beside what is drawn, nor has it answer.
func TestWhatATerminalActsOnDoesNotPass(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"clipboard":                "\x1b]52;c;cm0gLXJmIH4=\a",
		"clipboard, asked for":     "\x1b]52;c;?\x1b\\",
		"title":                    "\x1b]0;root@bank\x1b\\",
		"link":                     "\x1b]8;;https://evil.example\x1b\\",
		"notification":             "\x1b]9;x\a\x1b]777;notify;x;y\x1b\\\x1b]99;;x\x1b\\",
		"color, asked for":         "\x1b]11;?\a",
		"DCS":                      "\x1bP$q\"p\x1b\\\x1bP+q544e\x1b\\\x1bPtmux;\x1b\x1b]52;c;eA==\a\x1b\\",
		"APC, PM, SOS, screen":     "\x1b_Gi=1;AAAA\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\\x1bkx\x1b\\",
		"who are you":              "\x1b[c\x1b[>c\x1b[=c\x1b[0c\x1b[>0q\x1bZ\x1b[5n\x1b[6n\x1b[?6n\x1b[x",
		"modes, asked for":         "\x1b[?2026$p\x1b[4$p\x1b[?u\x1b[?996n",
		"size and title of window": "\x1b[14t\x1b[21t\x1b[8;1;1t\x1b[22;0t",
		"printer":                  "\x1b[4i\x1b[5i\x1b[?4i",
		"reset":                    "\x1bc\x1b[!p\x1b#8",
		"modes that HQ never sets": "\x1b[?3h\x1b[?5h\x1b[?47h\x1b[?1005h\x1b[?9001h\x1b[4h\x1b[20h\x1b[?1049;3h",
		"character sets":           "\x1b(0\x1b)0\x1b%G\x1b N\x0e\x0f\x1bn",
		"LEDs, macros":             "\x1b[1q\x1b[5*z\x1b[1\"q",
		"eight bits":               "\u009d52;c;eA==\u009c"[:2] + "\u009b6n"[:2],
		"raw bytes of eight bits":  "\x9d\x90\x9b\xff\xfe",
		"endless parameters":       "\x1b[" + strings.Repeat("1;", 500) + "m",
		"controls in a sequence":   "\x1b[1\x07;2H",
		"DEL":                      "\x7f",
	} {
		got := filtered(s)
		got = strings.NewReplacer("0q", "", "6n", "", "52;c;eA==", "").Replace(got)
		if strings.ContainsAny(got, "\x1b\x0e\x0f\x7f\u009b\u009d") || len(got) > 6 {
			t.Errorf("%s: %q passed as %q", name, s, got)
		}
	}
	if got := filtered("a\x1b]52;c;eA==", "\x1b[31mred\x1b]0;t\a."); got != "a\x1b[31mred." {
		t.Errorf("after a string that was cut off: %q", got)
	}
}

func FuzzFilter(f *testing.F) {
	f.Add([]byte("\x1b[1mbold\x1b]0;title\a\x1b[?1049h\xe2\x97"))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := filtered(string(data))
		if !utf8.ValidString(whole) {
			t.Fatalf("%q passed as %q", data, whole)
		}
		if again := filtered(whole); again != whole {
			t.Fatalf("%q passed as %q, and that as %q", data, whole, again)
		}
		var parts []string
		for _, b := range data {
			parts = append(parts, string([]byte{b}))
		}
		if got := filtered(parts...); got != whole {
			t.Fatalf("%q passed as %q, and a byte at a time as %q", data, whole, got)
		}
		for i := range len(whole) {
			if whole[i] == 0x1b && (i+1 == len(whole) || !strings.ContainsRune("[78M=>", rune(whole[i+1]))) {
				t.Fatalf("%q passed as %q", data, whole)
			}
		}
	})
}
