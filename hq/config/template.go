package config

import (
	"fmt"
	"slices"
	"strings"
)

// Template is the ferrus.toml that init writes: the keys that a project is likely
// to change, with their defaults and what they mean.
func Template(names Names, skills string, checks []string) string {
	var b strings.Builder
	b.WriteString("# Every key has a default; all of them: ferrus help config\n\n[checks]\n")
	writeCommands(&b, checks)
	section(&b, "limits", "max_check_retries", "max_review_cycles", "max_feedback_lines", "wait_timeout_secs")
	fmt.Fprintf(&b, "\n[agents]\npath = %s # root directory for agent skill files\n", quote(skills))
	section(&b, "spec", "directory")
	section(&b, "lease", "ttl_secs", "heartbeat_interval_secs")
	player(&b, "supervisor", names.Supervisor(), " # "+strings.Join(distinct(names), " | "))
	player(&b, "executor", names.Executor(), "")
	return b.String()
}

func writeCommands(b *strings.Builder, checks []string) {
	if len(checks) == 0 {
		b.WriteString("# Run in order; every one must exit 0 before work counts as done.\ncommands = []\n")
		return
	}
	b.WriteString("# Run in order; every one must exit 0 before work counts as done.\ncommands = [\n")
	for _, c := range checks {
		fmt.Fprintf(b, "\t%s,\n", quote(c))
	}
	b.WriteString("]\n")
}

// section writes keys of the schema with their defaults, comments in a column.
func section(b *strings.Builder, name string, keys ...string) {
	fmt.Fprintf(b, "\n[%s]\n", name)
	width := 0
	for _, k := range keys {
		width = max(width, len(k+" = "+find(name+"."+k).Default))
	}
	for _, k := range keys {
		key := find(name + "." + k)
		fmt.Fprintf(b, "%-*s # %s\n", width, k+" = "+key.Default, key.Words)
	}
}

// distinct leaves out who plays both roles the second time.
func distinct(names Names) (out []string) {
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func player(b *strings.Builder, role, agent, comment string) {
	fmt.Fprintf(b, "\n[hq.%s]\nagent = %s%s\nmodel = \"\" # empty: the agent's own default\n", role, quote(agent), comment)
}

func find(name string) Key {
	for _, k := range schema {
		if k.Name == name {
			return k
		}
	}
	panic("config: no key " + name) // TestTemplateLoads writes every section
}

// quote writes a TOML string: in single quotes where that spares escapes.
func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && !strings.ContainsRune(s, '\'') && !strings.ContainsFunc(s, control) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case control(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
