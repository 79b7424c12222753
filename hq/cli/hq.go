package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"ferrus/agent"
	"ferrus/hq/conductor"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/register"
	"ferrus/hq/tui"
	"ferrus/ui/view"
)

// openHQ opens HQ for the project that encloses the working directory.
func openHQ(ctx context.Context, std *streams) error {
	if err := std.requireTerminal(os.Getenv("TERM")); err != nil {
		return err
	}
	pr, open, err := openOrSetUp(ctx, std)
	if err != nil || !open {
		return err
	}
	if err := pair.KillLeftovers(pr); err != nil {
		return err
	}
	conductor, err := conductor.Start(ctx, pr, conductor.Options{})
	if err != nil {
		return err
	}
	return runHQ(ctx, std, pr, conductor)
}

// idleMark is set by tests that look at the screen; see [tui.Options].
var idleMark func(read int64) string

// runHQ runs HQ until you quit; HQ closes the conductor.
func runHQ(ctx context.Context, std *streams, pr *project.Project, c *conductor.Conductor) error {
	typed, err := loadHistory(pr)
	if err != nil {
		return errors.Join(err, c.Close(false))
	}
	c.RecoverPair()
	return tui.Run(ctx, c, tui.Options{
		Pair:     c.Pair,
		History:  typed,
		Remember: func(line string) { appendHistory(pr, line) },
		Kept:     loadLayout(pr),
		Keep:     func(k view.SavedLayout) { saveLayout(pr, k) },
		Agents:   register.Names(),
		Models:   func() []view.RoleModel { return roleModels(pr) },
		Keys:     func() map[string][]string { return keyBindings(pr) },
		Notify:   func() string { return notifyMode(pr) },
		Trust:    c.Trust,
		Found:    func() view.Completions { return hqCompletions(pr) },
		Texts:    func(task string) (string, error) { return taskMarkdown(pr, task) },
		Register: registerLine,
		IdleMark: idleMark,
	})
}

// roleModels returns the model of each role in ferrus.toml.
func roleModels(pr *project.Project) []view.RoleModel {
	c, _ := pr.Config() // the conductor reports a broken file
	return []view.RoleModel{
		{Role: "supervisor", Agent: c.HQ.Supervisor.Agent, Model: c.HQ.Supervisor.Model,
			Known: agent.Models(c.HQ.Supervisor.Agent)},
		{Role: "executor", Agent: c.HQ.Executor.Agent, Model: c.HQ.Executor.Model,
			Known: agent.Models(c.HQ.Executor.Agent)},
	}
}

// keyBindings returns the table [keys] of ferrus.toml.
func keyBindings(pr *project.Project) map[string][]string {
	c, _ := pr.Config() // the conductor reports a broken file
	return c.Keys
}

// notifyMode returns how HQ notifies you.
func notifyMode(pr *project.Project) string {
	c, _ := pr.Config() // the conductor reports a broken file
	return c.HQ.Notify
}

// screenFile has the layout of HQ in this project.
const screenFile = "screen.json"

// loadLayout returns the saved layout; a file that cannot be read is none.
func loadLayout(pr *project.Project) (k view.SavedLayout) {
	if data, err := pr.Store.ReadFile(screenFile); err == nil && json.Unmarshal(data, &k) != nil {
		return view.SavedLayout{}
	}
	return k
}

// saveLayout saves the layout. A failure is not worth a message.
func saveLayout(pr *project.Project, k view.SavedLayout) {
	if data, err := json.Marshal(k); err == nil {
		_ = pr.Store.WriteFile(screenFile, append(data, '\n'))
	}
}

// historyFile has what was typed at the prompt of this project, oldest first: one
// quoted line for each, because a prompt may have several.
const (
	historyFile = "history"
	maxHistory  = 500
)

func loadHistory(pr *project.Project) ([]string, error) {
	data, err := pr.Store.ReadFile(historyFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the prompt's history: %w", err)
	}
	var all []string
	for quoted := range strings.Lines(string(data)) {
		if line, err := strconv.Unquote(strings.TrimSpace(quoted)); err == nil {
			all = append(all, line)
		}
	}
	if len(all) < 2*maxHistory {
		return all, nil
	}
	all = all[len(all)-maxHistory:]
	var b strings.Builder
	for _, line := range all {
		b.WriteString(strconv.Quote(line) + "\n")
	}
	return all, pr.Store.WriteFile(historyFile, []byte(b.String()))
}

// appendHistory saves a line. A failure is not worth a message.
func appendHistory(pr *project.Project, line string) {
	f, err := pr.Store.Append(historyFile)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // as above
	_, _ = f.WriteString(strconv.Quote(line) + "\n")
}
