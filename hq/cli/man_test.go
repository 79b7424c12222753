package cli

import (
	"os/exec"
	"strings"
	"testing"

	"ferrus/hq/config"
)

// TestManual checks that the page has every command, flag and key, and that no line of text is read
// as a request.
func TestManual(t *testing.T) {
	t.Parallel()
	root := rootCommand((&streams{}))
	page := manualPage(root)
	plain := strings.ReplaceAll(page, `\-`, "-")
	for _, c := range root.Commands() {
		if !c.Hidden && c.Runnable() && !strings.Contains(plain, ".SS \"ferrus "+c.Name()) {
			t.Errorf("no %s", c.Name())
		}
	}
	for _, k := range config.Keys() {
		if !strings.Contains(plain, k.Name) {
			t.Errorf("no %s", k.Name)
		}
	}
	if !strings.Contains(plain, "--agents-path string") {
		t.Error("no --agents-path")
	}
	known := map[string]bool{"TH": true, "SH": true, "SS": true, "PP": true, "TP": true, "B": true,
		"nf": true, "fi": true}
	for line := range strings.Lines(page) {
		request, isRequest := strings.CutPrefix(line, ".")
		name, _, _ := strings.Cut(strings.TrimSpace(request), " ")
		if isRequest && !known[name] || strings.HasPrefix(line, "'") {
			t.Errorf("read as a request: %q", line)
		}
	}
	if again := manualPage(rootCommand((&streams{}))); again != page {
		t.Error("the page differs from one time to the next")
	}
}

// TestManualRenders lets man's own formatter read it, where there is one.
func TestManualRenders(t *testing.T) {
	t.Parallel()
	for _, formatter := range [][]string{{"mandoc", "-T", "utf8", "-W", "warning"},
		{"groff", "-man", "-T", "utf8", "-ww"}} {
		if _, err := exec.LookPath(formatter[0]); err != nil {
			continue
		}
		c := exec.Command(formatter[0], formatter[1:]...)
		c.Stdin = strings.NewReader(manualPage(rootCommand((&streams{}))))
		var faults strings.Builder
		c.Stderr = &faults
		if out, err := c.Output(); err != nil || faults.Len() > 0 || len(out) == 0 {
			t.Errorf("%s: %v\n%s", formatter[0], err, faults.String())
		}
	}
}
