package agent

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/home"
)

// OwnHook is a command that a client runs at an event, because your own settings say
// so.
type OwnHook struct {
	Event   string
	Command string // for a shell
}

// ownHooks returns the hooks that your own settings of an agent name.
func ownHooks(a Adapter, home string) (all []OwnHook) {
	for _, file := range settingsFiles(a, home) {
		events, _ := settingsTree(file)["hooks"].(map[string]any) // another value has none
		for _, event := range slices.Sorted(maps.Keys(events)) {
			for _, command := range hookCommands(events[event]) {
				all = append(all, OwnHook{event, command})
			}
		}
	}
	return all
}

// hookCommands returns the commands in the settings of an event, at whatever depth clients
// keep them.
func hookCommands(value any) (all []string) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			all = append(all, hookCommands(one)...)
		}
	case map[string]any:
		for _, key := range []string{"command", "bash"} {
			if text, ok := v[key].(string); ok {
				all = append(all, text)
			}
		}
		all = append(all, hookCommands(v["hooks"])...)
	}
	return all
}

// hooksMissingInside says which of your hooks name your file that a program does not find where it sees
// only some of your files, and which file that is. A path below your home is one in the session's home there.
func hooksMissingInside(hooks []OwnHook, home string, shows, has func(path string) bool) (all []string) {
	for _, h := range hooks {
		for _, word := range strings.FieldsFunc(h.Command, betweenWords) {
			path, below := word, false
			for _, prefix := range []string{"~/", "$HOME/", "${HOME}/"} {
				if rest, ok := strings.CutPrefix(word, prefix); ok {
					path, below = filepath.Join(home, rest), true
				}
			}
			if info, err := os.Stat(path); !filepath.IsAbs(path) || err != nil || !info.Mode().IsRegular() {
				continue
			}
			if !has(path) && (below || !shows(path)) {
				all = append(all, h.Event+" (needs "+path+")")
				break
			}
		}
	}
	return slices.Compact(all)
}

// MissingOfYours says which of your MCP servers and hooks do not work where a program sees only some of your
// files and has a private home, and what each lacks.
func MissingOfYours(a Adapter, real string, shows func(path string) bool) (servers, hooks []string) {
	private := home.Of(real, Home(a))
	seen := func(path string) bool { return shows(path) || private.Has(path) }
	return missingInside(OwnServers(a, real), seen), hooksMissingInside(ownHooks(a, real), real, shows, private.Has)
}

// betweenWords reports whether a letter of a shell's command is between words.
func betweenWords(r rune) bool { return strings.ContainsRune(" \t\n;&|<>()'\"=", r) }
