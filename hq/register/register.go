// Package register adds ferrus to the configuration of agents in a project, for
// sessions that you start outside HQ, and removes it again.
//
// [Add] or [Remove] returns a plan, which reads but changes nothing; [Plan.Format]
// formats it and [Plan.Write] executes it. It inserts text and never rewrites a file,
// so the rest is kept byte for byte. What is already there is left alone, so a second
// Add changes nothing. A file that cannot be parsed is a [FileError] with the
// position, and then there is no plan.
//
// What was inserted is recorded; the caller stores the record. With it Remove restores
// the exact bytes; from a file that has changed since, it removes what was inserted.
//
// The package knows kinds of files, not programs: [agent.Registrar] says what goes into
// which file.
package register

import (
	"fmt"

	"ferrus/agent"
)

// Names returns the agents that can be registered.
func Names() (names []string) {
	for _, n := range agent.Names() {
		if _, err := registrar(n); err == nil {
			names = append(names, n)
		}
	}
	return names
}

// Add returns a plan that registers the roles.
func Add(o Options) (*Plan, error) {
	w, err := newPlanner(o)
	if err != nil {
		return nil, err
	}
	for _, r := range o.Roles {
		if err := w.addRole(r); err != nil {
			return nil, err
		}
	}
	return w.plan(false)
}

// Remove returns a plan that undoes the registration of the roles, or of all if there are
// none.
func Remove(o Options) (*Plan, error) {
	w, err := newPlanner(o)
	if err != nil {
		return nil, err
	}
	var owners []string
	for _, r := range o.Roles {
		if !w.record.owned(r.owner()) {
			return nil, fmt.Errorf("%s is not registered as %s here", r.Agent, r.Role)
		}
		owners = append(owners, r.owner())
	}
	for _, f := range w.record.Files {
		if err := w.removeEdits(f, owners); err != nil {
			return nil, err
		}
	}
	return w.plan(true)
}
