package projection

import (
	"errors"
	"fmt"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// TestSetup compares the frames of the guide of a first run: the proposal, typed text, and the
// question of trust.
func TestSetup(t *testing.T) {
	t.Parallel()
	choice := ui.SetupChoice{Supervisor: "claude-code", Executor: "codex",
		Checks: []string{"gofmt -l .", "go vet ./...", "go test ./...", "task lint"}}
	for _, c := range []struct {
		name string
		with func(*ui.Proposal)
		keys []string
	}{
		{"proposal", func(*ui.Proposal) {}, nil},
		{"scrolled", func(*ui.Proposal) {}, []string{"down", "down"}},
		{"typing", func(*ui.Proposal) {}, []string{"c", "make check"}},
		{"nothing", func(p *ui.Proposal) {
			p.Choice.Checks = nil
			p.Agents[0].Missing, p.Agents[1].Missing = true, true
		}, nil},
		{"kept", func(p *ui.Proposal) { p.Kept = true }, nil},
		{"trust", func(*ui.Proposal) {}, []string{"enter"}},
		{"trust-long", func(p *ui.Proposal) {
			p.Choice.Checks = strings.Split(
				strings.Repeat(
					"go test -race ./a/package/with/a/long/name/that/goes/on/and/on/for/more/"+
						"than/a/line/of/it/all/and/then/some|", 40), "|")
		}, []string{"enter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := goldenFrames{palette: newPalette()}
			for _, size := range sizes {
				d, _ := drawn(t, size[0], size[1], func(light bool) tea.View {
					p := proposal(choice)
					c.with(&p)
					return guided(p, size[0], size[1], light, c.keys).View()
				})
				s.add(t, fmt.Sprintf("%dx%d", size[0], size[1]), d, drawing{})
			}
			s.compare(t)
		})
	}
}

func proposal(choice ui.SetupChoice) ui.Proposal {
	return ui.Proposal{
		Where: "/home/dev/acme-api", Choice: choice,
		Agents: []ui.SetupAgent{{Name: "claude-code", Get: "npm install -g @anthropic-ai/claude-code"},
			{Name: "codex", Get: "npm install -g @openai/codex"},
			{Name: "gemini", Missing: true, Get: "npm install -g @google/gemini-cli"}},
		File: func(c ui.SetupChoice) string {
			return "# What proves the work.\n[checks]\ncommands = [\n  \"" + strings.Join(c.Checks, "\",\n  \"") +
				"\",\n]\n\n[hq.supervisor]\nagent = \"" + c.Supervisor + "\"\n\n[hq.executor]\nagent = \"" +
				c.Executor + "\"\n\n# [limits]\n# max_check_retries = 20\n# max_review_cycles = 3\n"
		},
		Write: func(c ui.SetupChoice) ([]string, error) { return c.Checks, nil },
		Trust: func() error { return errors.New("no test presses y here") },
	}
}

// guided returns the guide after some keys, with what those led to.
func guided(p ui.Proposal, w, h int, light bool, keys []string) *ui.Setup {
	s := ui.NewSetup(p)
	s.Update(tea.WindowSizeMsg{Width: w, Height: h})
	if light {
		s.Update(tea.BackgroundColorMsg{Color: color.White})
	}
	s.View()
	for _, k := range keys {
		special, named := keyNames[k]
		if !named {
			for _, r := range k {
				s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			continue
		}
		if _, cmd := s.Update(tea.KeyPressMsg(special)); cmd != nil {
			s.Update(cmd())
		}
		s.View()
	}
	return s
}
