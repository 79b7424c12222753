package checks

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Tools are the programs inside a workspace that the words of commands would
// find on PATH, by path below the workspace, with a hash of what they are. A tree
// does not have the ones that git ignores; trusting a command trusts them.
func Tools(workspace string, env []string, commands []Command) map[string]string {
	if env == nil {
		env = os.Environ()
	}
	tools := map[string]string{}
	for _, dir := range inside(workspace, env) {
		for _, c := range commands {
			for _, word := range ShellWords(c.Run) {
				if strings.Contains(word, "/") {
					continue
				}
				name := filepath.Join(dir, word)
				if sum := program(name); sum != "" {
					below, _ := filepath.Rel(workspace, name)
					tools[filepath.ToSlash(below)] = sum
				}
			}
		}
	}
	if len(tools) == 0 {
		return nil
	}
	return tools
}

// ShellWords are the words of a shell text, without regard to what they do.
func ShellWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r;|&()<>\"'`$={}[],:", r) })
}

// inside are the folders of PATH that are inside the workspace.
func inside(workspace string, env []string) []string {
	var dirs []string
	for _, entry := range env {
		list, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		dirs = nil // The last of two counts.
		for _, dir := range filepath.SplitList(list) {
			if real, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) {
				if below, err := filepath.Rel(workspace, real); err == nil && filepath.IsLocal(below) {
					dirs = append(dirs, real)
				}
			}
		}
	}
	return dirs
}

// program is the hash of an executable file; empty when there is none.
func program(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return "unreadable"
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// absolute leaves out of PATH what depends on the folder a command happens to be
// in: a file of the repository must not replace a tool.
func absolute(list string) string {
	var kept []string
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
