package agent

import (
	"regexp"
	"slices"
	"strings"
)

// helpPages is an adapter whose program has more than one page of help.
type helpPages interface{ helpArgs() [][]string }

// HelpArgs returns the arguments with which an agent's program prints its flags, one call
// each; none for a custom agent.
func HelpArgs(a Adapter) [][]string {
	if h, ok := a.(helpPages); ok {
		return h.helpArgs()
	}
	if _, own := a.(custom); own || a.Binary() == "" {
		return nil
	}
	return [][]string{{"--help"}}
}

// UnknownFlags returns the flags that ferrus passes to an agent's program and that all pages
// of its help do not mention.
func UnknownFlags(a Adapter, help string) []string {
	var unknown []string
	for _, option := range launchFlags(a) {
		if !regexp.MustCompile(`(?m)(^|[\s,\[])` + regexp.QuoteMeta(option) + `($|[\s,.=<\[\]])`).MatchString(help) {
			unknown = append(unknown, option)
		}
	}
	return unknown
}

// launchFlags returns the flags on the command lines of all sessions of an agent, in order.
func launchFlags(a Adapter) []string {
	var all []string
	for _, role := range []string{"executor", "supervisor"} {
		for _, mode := range []string{"work", "review", "consult", "task", "free"} {
			for i := range 8 {
				inv, err := a.Invoke(Launch{
					Role: role, Mode: mode, Prompt: "prompt", Model: "model", Workspace: "/", Project: "/",
					Ferrus:      "/ferrus",
					Interactive: i&1 != 0, Bypass: i&2 != 0, NoServer: i&4 != 0,
				})
				if err != nil {
					continue // it cannot do that, and says so when it is asked to
				}
				all = append(append(all, inv.agentArgs()...), inv.UsageFlag)
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

// agentArgs returns the arguments of the agent's own program.
func (i Invocation) agentArgs() []string {
	if i.Stream == "" {
		return i.Args
	}
	return i.Args[slices.Index(i.Args, "--")+1:]
}
