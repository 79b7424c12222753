package commit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ferrus/agent/sandbox"
	"ferrus/checks/git"
)

// Sign signs a row of commits, the first of which has the given parent and each other one its
// predecessor. It returns them as they were where you do not have commits signed. The error may be a
// [*git.SignError].
func Sign(ctx context.Context, r git.Repository, parent string, commits []string) ([]string, error) {
	signer, err := r.Signer()
	if err != nil || !signer.Signs() {
		return commits, err
	}
	if signer.Program != "" {
		inside, remove, err := enclose(ctx, signer.Program)
		if err != nil {
			return nil, err
		}
		defer remove()
		signer = signer.Run(inside)
	}
	var all []string
	for i, c := range commits {
		if i > 0 && c == commits[i-1] || i == 0 && c == parent { // it changes nothing
			all = append(all, parent)
			continue
		}
		var parents []string
		if parent != "" {
			parents = []string{parent}
		}
		if parent, err = r.Sign(ctx, signer, c, parents, git.SignLimit); err != nil {
			return nil, err
		}
		all = append(all, parent)
	}
	return all, nil
}

// enclose returns a program that runs a signer inside the sandbox, where it has neither your keys nor a network,
// and what removes it: only what your own configuration names runs as you.
func enclose(ctx context.Context, signer string) (program string, remove func(), err error) {
	w, err := sandbox.Chosen(ctx, sandbox.Auto, sandbox.Unshared)
	if err != nil {
		return "", nil, err
	}
	if w.Kind == sandbox.None || w.Kind == "" {
		return "", nil, &git.SignError{Words: "the repository names " + signer + " as the signer, and there is no " +
			"sandbox on this machine to run it in; name it with git config --global"}
	}
	dir, err := os.MkdirTemp("", "ferrus-sign-")
	if err != nil {
		return "", nil, fmt.Errorf("run the signer: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	policy := sandbox.Policy{Dir: dir, Read: []string{filepath.Dir(signer), dir}, Network: w.Network}
	argv, err := w.Command(policy, signer)
	if err == nil {
		var script strings.Builder
		script.WriteString("#!/bin/sh\nexec")
		for _, arg := range argv {
			script.WriteString(" '" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
		}
		script.WriteString(" \"$@\"\n")
		program = filepath.Join(dir, "signer")
		err = os.WriteFile(program, []byte(script.String()), 0o700)
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("run the signer: %w", err)
	}
	return program, remove, nil
}
