package config

import (
	"fmt"
	"slices"
	"strings"
)

// Proposal is what a new ferrus.toml says of a project.
type Proposal struct {
	Agents   Names  // the first is the supervisor, the second the executor
	Skills   string // directory of the skill files
	Checks   []string
	Setup    []string // commands that make what git ignores and the checks need
	Worktree bool     // each task gets a worktree of its own
}

// Template returns the ferrus.toml that init writes: the keys that a project is likely
// to change, with their defaults and meanings.
func Template(p Proposal) string {
	var b strings.Builder
	b.WriteString("# Every key has a default. All keys: ferrus help config\n\n[checks]\n")
	writeCommands(&b, p.Checks)
	if len(p.Setup) > 0 && !p.Worktree {
		b.WriteString("# Checks run on a clean copy of the tree. These create the ignored files they need.\n")
		writeList(&b, "setup", p.Setup)
	}
	writeSection(&b, "limits", "max_check_retries", "max_review_cycles", "max_feedback_lines", "wait_timeout_secs")
	fmt.Fprintf(&b, "\n[agents]\npath = %s # directory of the skill files\n", quote(p.Skills))
	writeSection(&b, "spec", "directory")
	writeSection(&b, "lease", "ttl_secs", "heartbeat_interval_secs")
	writeWorkspace(&b, p)
	writeRole(&b, "supervisor", p.Agents.Supervisor(), " # "+strings.Join(unique(p.Agents), " | "))
	writeRole(&b, "executor", p.Agents.Executor(), "")
	return b.String()
}

// writeWorkspace writes where agents work. In a worktree they need what the checks need.
func writeWorkspace(b *strings.Builder, p Proposal) {
	if !p.Worktree {
		b.WriteString(`
[hq]
# Agents change the files of your checkout, one task at a time. "worktree": each task
# works on a branch of its own in .ferrus/worktrees, several at the same time.
workspace = "here"
`)
		return
	}
	b.WriteString(`
[hq]
# Each task works on a branch of its own in .ferrus/worktrees. "here": agents change the
# files of your checkout, one task at a time.
workspace = "worktree"
`)
	if len(p.Setup) > 0 {
		b.WriteString("# A new worktree, and the clean copy for checks, have no ignored files. These create them.\n")
		writeList(b, "setup", p.Setup)
	}
}

func writeCommands(b *strings.Builder, checks []string) {
	if len(checks) == 0 {
		b.WriteString("# Run in order; all must exit with 0 before work counts as done.\ncommands = []\n")
		return
	}
	b.WriteString("# Run in order; all must exit with 0 before work counts as done.\n")
	writeList(b, "commands", checks)
}

func writeList(b *strings.Builder, key string, commands []string) {
	b.WriteString(key + " = [\n")
	for _, c := range commands {
		fmt.Fprintf(b, "\t%s,\n", quote(c))
	}
	b.WriteString("]\n")
}

// writeSection writes keys of the schema with their defaults, comments in a column.
func writeSection(b *strings.Builder, name string, keys ...string) {
	fmt.Fprintf(b, "\n[%s]\n", name)
	width := 0
	for _, k := range keys {
		width = max(width, len(k+" = "+mustKey(name+"."+k).Default))
	}
	for _, k := range keys {
		key := mustKey(name + "." + k)
		fmt.Fprintf(b, "%-*s # %s\n", width, k+" = "+key.Default, key.Help)
	}
}

// unique removes duplicates.
func unique(names Names) (out []string) {
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func writeRole(b *strings.Builder, role, agent, comment string) {
	fmt.Fprintf(b, "\n[hq.%s]\nagent = %s%s\nmodel = \"\" # empty: the agent's default\n", role, quote(agent), comment)
}

func mustKey(name string) Key {
	for _, k := range schema {
		if k.Name == name {
			return k
		}
	}
	panic("config: no key " + name) // TestTemplateLoads writes every section
}

// quote returns a TOML string, in single quotes if that avoids escapes.
func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && !strings.ContainsRune(s, '\'') && !strings.ContainsFunc(s, isControl) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case isControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
