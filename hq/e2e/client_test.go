//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ferrus/agent"
)

// client is a vendor's program, with how the tests install it and set it up.
type client struct {
	name   string // its name in ferrus.toml
	npm    string
	node20 string // the newest version that declares Node 20
	node22 string
}

var clients = map[string]client{
	"claude-code": {"claude-code", "@anthropic-ai/claude-code", "2.1.197", "2.1.332"},
	"codex":       {"codex", "@openai/codex", "0.171.0", "0.171.0"},
	"copilot":     {"copilot", "@github/copilot", "1.0.102", "1.0.102"},
	"gemini-cli":  {"gemini-cli", "@google/gemini-cli", "0.61.0", "0.61.0"},
	"opencode":    {"opencode", "opencode-ai", "1.18.33", "1.18.33"},
	"qwen-code":   {"qwen-code", "@qwen-code/qwen-code", "0.15.10", "0.24.4"},
}

// protocol has the agents in ferrus.toml that speak the Agent Client Protocol, by their names
// there.
var protocol = map[string]struct {
	client  string
	command []string
}{
	"gemini-acp":   {"gemini-cli", []string{"gemini", "--acp"}},
	"qwen-acp":     {"qwen-code", []string{"qwen", "--acp"}},
	"opencode-acp": {"opencode", []string{"opencode", "acp"}},
}

// clientOf returns an agent's program.
func clientOf(agent string) client {
	if p, ok := protocol[agent]; ok {
		return clients[p.client]
	}
	return clients[agent]
}

var names = []string{"claude-code", "codex", "qwen-code"}

// others are tried only with themselves. Those in alone are tried so in TestProtocol; without a
// server they print their own stream.
var (
	others = []string{"copilot", "opencode"}
	alone  = []string{"gemini-cli"}
)

// players returns the clients that ferrus launches for the loop, and the others too if FERRUS_E2E
// is all.
func players() []string {
	if os.Getenv("FERRUS_E2E") == "all" {
		return slices.Concat(names, others)
	}
	return names
}

// compiled returns the directory for Node's compile cache, so that not every session of every test
// compiles its client again.
func compiled(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "ferrus-e2e", fmt.Sprintf("compiled-%d", nodeMajor(t)))
}

// install returns the directory with the client's program, from the cache or from npm.
func (c client) install(t testing.TB) string {
	t.Helper()
	bin, err := c.fetch(t)
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// fetch is install, but returns npm's error.
func (c client) fetch(t testing.TB) (string, error) {
	t.Helper()
	version, err := c.version(t)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "ferrus-e2e", c.name+"-"+version)
	bin := filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	t.Logf("installing %s@%s", c.npm, version)
	out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", fresh, c.npm+"@"+
		version).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("npm install %s@%s: %w\n%s", c.npm, version, err, out)
	}
	return bin, os.Rename(fresh, dir)
}

// version returns the release to test: the pinned one, or the newest if FERRUS_E2E_CLIENTS is
// latest.
func (c client) version(t testing.TB) (string, error) {
	t.Helper()
	switch {
	case latest():
		out, err := exec.Command("npm", "view", c.npm, "version").Output()
		if err != nil {
			return "", fmt.Errorf("npm view %s version: %w", c.npm, err)
		}
		return strings.TrimSpace(string(out)), nil
	case nodeMajor(t) >= 22:
		return c.node22, nil
	}
	return c.node20, nil
}

// latest reports whether the tests use the newest releases.
func latest() bool { return os.Getenv("FERRUS_E2E_CLIENTS") == "latest" }

func nodeMajor(t testing.TB) int {
	t.Helper()
	n, err := node()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// node returns the major version of Node on PATH.
func node() (major int, err error) {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("node --version: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	if major, err = strconv.Atoi(first); err != nil {
		return 0, fmt.Errorf("node --version printed %q", out)
	}
	return major, nil
}

// nodeOfLatest is the major version of Node that the newest releases need.
const nodeOfLatest = 22

// putNodeOnPath gives the newest releases a Node that they accept: from npm, if the installed one
// is older.
func putNodeOnPath() error {
	major, err := node()
	if err != nil || major >= nodeOfLatest {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "ferrus-e2e", fmt.Sprint("node-", nodeOfLatest))
	bin := filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, "node")); err != nil {
		out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir,
			fmt.Sprint("node@", nodeOfLatest)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("npm install node@%d: %w\n%s", nodeOfLatest, err, out)
		}
	}
	return os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// prepare writes the client's settings into home, and returns its environment.
func (c client) prepare(t testing.TB, home, url, workspace string) []string {
	t.Helper()
	trial, ok := agent.TrialOf(c.name, home, url, workspace)
	if !ok {
		t.Fatalf("%s cannot be set up", c.name)
	}
	for name, text := range trial.Files {
		write(t, filepath.Join(home, name), text)
	}
	return trial.Env
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
