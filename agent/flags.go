package agent

import (
	"regexp"
	"slices"
	"strings"
)

// helper is an adapter whose program has more than one page of help.
type helper interface{ helps() [][]string }

// Helps are the arguments with which an agent's program prints what options it
// knows, a call each; none for a program of the person's own.
func Helps(a Adapter) [][]string {
	if h, ok := a.(helper); ok {
		return h.helps()
	}
	if _, own := a.(custom); own || a.Binary() == "" {
		return nil
	}
	return [][]string{{"--help"}}
}

// Unknown are the options that ferrus gives to an agent's program and that its
// help, all pages together, does not name.
func Unknown(a Adapter, help string) []string {
	var unknown []string
	for _, option := range options(a) {
		if !regexp.MustCompile(`(?m)(^|[\s,\[])` + regexp.QuoteMeta(option) + `($|[\s,.=<\[\]])`).MatchString(help) {
			unknown = append(unknown, option)
		}
	}
	return unknown
}

// options are those on the command lines of all sessions of an agent, in order.
func options(a Adapter) []string {
	var all []string
	for _, role := range []string{"executor", "supervisor"} {
		for _, mode := range []string{"work", "review", "consult", "task", "free"} {
			for i := range 8 {
				inv, err := a.Invoke(Launch{
					Role: role, Mode: mode, Prompt: "prompt", Model: "model", Workspace: "/", Project: "/", Ferrus: "/ferrus",
					Interactive: i&1 != 0, Bypass: i&2 != 0, NoServer: i&4 != 0,
				})
				if err != nil {
					continue // it cannot do that, and says so when it is asked to
				}
				all = append(append(all, inv.Args...), inv.Account)
			}
		}
	}
	all = slices.DeleteFunc(all, func(argument string) bool { return !strings.HasPrefix(argument, "-") })
	for i, argument := range all {
		all[i], _, _ = strings.Cut(argument, "=") // --option=value
	}
	slices.Sort(all)
	return slices.Compact(all)
}
