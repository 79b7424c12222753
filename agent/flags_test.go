package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestHelpNamesEveryOption compares with the help of the pinned releases, all pages in sequence.
func TestHelpNamesEveryOption(t *testing.T) {
	for _, name := range Names() {
		a, _ := Lookup(name, nil)
		if len(HelpArgs(a)) == 0 {
			continue
		}
		files, err := filepath.Glob("testdata/help/" + name + "-[0-9]*.txt")
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no help was kept: %v", name, err)
		}
		if len(launchFlags(a)) < 4 {
			t.Errorf("%s is given %q", name, launchFlags(a))
		}
		for _, file := range files {
			help, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if unknown := UnknownFlags(a, string(help)); len(unknown) > 0 {
				t.Errorf("%s does not name %q", file, unknown)
			}
		}
	}
}

func TestUnknownOptions(t *testing.T) {
	a, _ := Lookup("codex", nil)
	help := "Options:\n  -c, --config <key=value>\n  -m, --model <MODEL>\n      --json\n  -s, --sandbox <MODE>\n"
	if got := UnknownFlags(a, help); !slices.Equal(got,
		[]string{"--dangerously-bypass-approvals-and-sandbox", "--no-daemon"}) {
		t.Errorf("UnknownFlags = %q, want the two flags that the help lacks", got)
	}
	if own, _ := Lookup("mine", own); HelpArgs(own) != nil {
		t.Error("a custom program is asked for help")
	}
}
