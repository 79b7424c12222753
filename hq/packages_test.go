package hq_test

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// commands are the names of packages that are programs.
var commands = map[string]string{".": "ferrus", "hq/cli/rememberedgo": "rememberedgo"}

// TestEveryPackageSaysWhatItIs holds each package to a doc of more than its name.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	docs := map[string]string{}
	for _, s := range sources(t) {
		if !s.test && s.file.Doc != nil && s.file.Name.Name != "main" || commands[s.pkg] != "" {
			docs[s.pkg] += s.file.Doc.Text()
		}
	}
	for pkg := range layers {
		dir := filepath.Join(root, pkg)
		if found, _ := filepath.Glob(filepath.Join(dir, "*[^t].go")); len(found) == 0 || pkg == "ui/screenshot" {
			continue
		}
		want := "Package " + path.Base(pkg) + " "
		if name := commands[pkg]; name != "" {
			want = "Command " + name + " "
		}
		if !strings.HasPrefix(docs[pkg], want) || strings.Count(docs[pkg], "Package ") > 1 {
			t.Errorf("%s: the package doc must begin with %q, once; it is %.60q", pkg, want, docs[pkg])
		}
	}
}

// vendors are names that belong to one file each, agent/<vendor>.go.
var vendors = []string{"claude", "anthropic", "codex", "openai", "qwen", "gemini", "copilot", "opencode"}

// houses are the files of vendors whose company has another name.
var houses = map[string]string{"anthropic": "claude", "openai": "codex"}

// TestVendorsStayInTheirFiles looks at code and strings; a comment may give an example.
func TestVendorsStayInTheirFiles(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.pkg, "hq/e2e") || s.pkg == "hq/clients/model" {
			continue
		}
		// The mode of pairs is one of any vendor's agents.
		lower := bytes.ReplaceAll(bytes.ToLower(s.text), []byte("claudex"), nil)
		for _, v := range vendors {
			home := v
			if h := houses[v]; h != "" {
				home = h
			}
			atHome := s.name == "agent/"+home+".go" || strings.HasPrefix(s.name, "agent/"+home+"_")
			if atHome || !bytes.Contains(lower, []byte(v)) {
				continue
			}
			for _, word := range words(lower) {
				if strings.Contains(word, v) {
					t.Errorf("%s says %.60s, which belongs in agent/%s.go", s.name, word, home)
				}
			}
		}
	}
}
