package config

import (
	"fmt"
	"slices"
	"strings"
)

// Template returns the ferrus.toml that init writes: the keys that a project is likely
// to change, with their defaults and meanings.
// Setup are the commands that make what git ignores and the checks need.
func Template(names Names, skills string, checks, setup []string) string {
	var b strings.Builder
	b.WriteString("# Every key has a default. All keys: ferrus help config\n\n[checks]\n")
	writeCommands(&b, checks)
	if len(setup) > 0 {
		b.WriteString("# Checks run on a clean copy of the tree. These create the ignored files they need.\n")
		writeList(&b, "setup", setup)
	}
	writeSection(&b, "limits", "max_check_retries", "max_review_cycles", "max_feedback_lines", "wait_timeout_secs")
	fmt.Fprintf(&b, "\n[agents]\npath = %s # directory of the skill files\n", quote(skills))
	writeSection(&b, "spec", "directory")
	writeSection(&b, "lease", "ttl_secs", "heartbeat_interval_secs")
	writeRole(&b, "supervisor", names.Supervisor(), " # "+strings.Join(unique(names), " | "))
	writeRole(&b, "executor", names.Executor(), "")
	return b.String()
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
