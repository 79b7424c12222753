package agent

import "path/filepath"

// Trial is what has a client talk to a model server that needs no account: what its user would
// otherwise have set up. It is for tries of the client, in a home of their own.
type Trial struct {
	Files map[string]string // by their names below the home
	Env   []string          // as NAME=value
}

// TrialOf returns the trial of a built-in agent; false where its client is not a vendor's. The URL has
// no path; the workspace is trusted.
func TrialOf(name, home, url, workspace string) (Trial, bool) {
	a, ok := adapters[name].(interface {
		trial(home, url, workspace string) Trial
	})
	if !ok {
		return Trial{}, false
	}
	return a.trial(home, url, workspace), true
}

// oneFile returns a trial with a file at a path below the home.
func oneFile(path []string, text string, env ...string) Trial {
	return Trial{Files: map[string]string{filepath.Join(path...): text}, Env: env}
}
