//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/clients/model"
	"ferrus/hq/core"
)

// TestCost states the price of a token in opencode's own settings: a session costs the sum of its
// requests, as reported by its stream, by the protocol and on its own screen.
func TestCost(t *testing.T) {
	for title, change := range map[string]func(*setup){
		"stream": func(s *setup) {}, "asks": func(s *setup) { s.permissions = "ask" },
		"screen": func(s *setup) { s.interactive = true },
	} {
		t.Run(title, func(t *testing.T) {
			s := setup{supervisor: "opencode", executor: "opencode", script: onlyLooking,
				more: "[session]\nmax_consecutive_errors = 1\ngrace_secs = 1\n"}
			change(&s)
			b := newFixture(t, s)
			file := filepath.Join(b.root, "home", ".config", "opencode", "opencode.json")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			priced := strings.Replace(string(text), `"tool_call":true`,
				`"tool_call":true,"cost":{"input":1000,"output":2000}`, 1)
			if !json.Valid([]byte(priced)) || priced == string(text) {
				t.Fatalf("the prices were not added to:\n%s", priced)
			}
			write(t, file, priced)
			stop := b.running("run", model.TaskText)
			b.until("no session ends\n"+b.evidence(), func() bool { return b.had(core.ModeWork) })
			stop()
			for _, e := range b.ended() {
				t.Logf("%s %s: %+v", e.Slot, e.Exit, e.Usage)
				if e.Usage == nil || e.Usage.Cost == nil || e.Usage.Input == 0 {
					t.Errorf("%s used %+v, want a cost and input tokens", e.Slot, e.Usage)
					continue
				}
				want := (float64(e.Usage.Input)*1000 + float64(e.Usage.Output)*2000) / 1e6
				if got := *e.Usage.Cost; got < want*0.99 || got > want*1.01 {
					t.Errorf("%d and %d tokens cost $%v, want $%v", e.Usage.Input, e.Usage.Output, got, want)
				}
			}
		})
	}
}
