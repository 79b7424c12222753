package agent

import (
	"context"
	"errors"
	"io"
	"time"
)

var errSoon = errors.New("not yet")

func Lookup(name string, custom map[string]Custom) (Adapter, error) { return nil, errSoon }
func Names() []string                                               { return nil }
func Installed(a Adapter) error                                     { return errSoon }
func Default(role string) string                                    { return "" }
func Start(inv Invocation, dir string, columns, rows int, screen Screen, log io.Writer, renderer Renderer) (Session, error) {
	return nil, errSoon
}
func End(ctx context.Context, s Session, grace time.Duration) Exit { return s.Exit() }
func KillTree(pid int, marker string) error                        { return errSoon }

// PromptData is what the templates may name.
type PromptData struct {
	Project   string // absolute directory
	Text      string // the person's opening request
	Milestone string // of a spec, as the source of a task
	Message   string // from the person, to be told with this prompt
	Question  string // that a consultant is to answer
	State     string // of the task, for a session that goes on with it
}

func Prompt(mode string, data PromptData) (string, error) { return "", errSoon }
func Skills(root string) map[string]string                { return nil }
