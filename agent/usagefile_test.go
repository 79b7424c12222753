package agent

import (
	"os"
	"path/filepath"
	"testing"
)

// The usage that a program wrote is read after its exit, whatever the file contains, and nothing of
// it remains.
func TestAccount(t *testing.T) {
	const used = `{ "modelMetrics": { "a": { "usage": { "inputTokens": 10, "cacheReadTokens": 4, "outputTokens": 5 } },
  "b": { "usage": { "inputTokens": 1, "outputTokens": 2 } } } }`
	for what, c := range map[string]struct {
		leaves string
		want   Usage
	}{
		"an account": {used, Usage{Input: 11, Cached: 4, Output: 7, Known: true}},
		"a torn one": {used[:40], Usage{}},
		"nothing":    {"", Usage{}},
	} {
		t.Run(what, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			s, err := Start(Invocation{
				Path: "sh",
				Args: []string{"-c",
					`printf unended; test -z "$LEAVES" || printf %s "$LEAVES" > "${1#--account=}"`, "sh"},
				Env: []string{"LEAVES=" + c.leaves}, Headless: true, UsageFlag: "--account=",
			}, temporary, 80, 24, newMemoryScreen(), nil, copilot{}.Renderer())
			if err != nil {
				t.Fatal(err)
			}
			<-s.Done()
			if exit := s.Exit(); exit.Usage != c.want || exit.Err != nil || exit.Code != 0 {
				t.Errorf("the exit is %+v, want code 0 and the usage %+v", exit, c.want)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A program that does not start leaves nothing behind either.
func TestAccountOfNoProgram(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	if _, err := Start(Invocation{Path: "/nowhere", Headless: true, UsageFlag: "--account="}, temporary, 80, 24,
		newMemoryScreen(), nil, nil); err == nil {
		t.Error("it started")
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A program cannot make ferrus read another file of yours in place of its usage file, nor wait for
// a pipe.
func TestAccountIsNoWayToOtherFiles(t *testing.T) {
	const used = `{"modelMetrics": {"a": {"usage": {"inputTokens": 10, "outputTokens": 5}}}}`
	for what, script := range map[string]string{
		"a link for the file":      `ln -s "$YOURS/used.json" "$1"`,
		"a link for the directory": `rm -rf "${1%/*}" && ln -s "$YOURS" "${1%/*}"`,
		"a link with dots":         `rm -rf "${1%/*}" && ln -s "../../${YOURS##*/}" "${1%/*}"`,
		"a pipe":                   `mkfifo "$1"`,
		"a directory":              `mkdir "$1"`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			yours, private := filepath.Join(base, "yours"), filepath.Join(base, "home", "slot")
			file := filepath.Join(yours, "used.json")
			for _, dir := range []string{yours, private} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(file, []byte(used), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Start(Invocation{
				Path: "sh", Args: []string{"-ec", `set -- "${1#--account=}"; ` + script, "sh"},
				Env: []string{"YOURS=" + yours}, Headless: true, UsageFlag: "--account=", UsageDir: private,
			}, base, 80, 24, newMemoryScreen(), nil, copilot{}.Renderer())
			if err != nil {
				t.Fatal(err)
			}
			<-s.Done()
			if exit := s.Exit(); exit.Usage != (Usage{}) || exit.Code != 0 {
				t.Errorf("the exit is %+v, want code 0 and no usage", exit)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != used {
				t.Errorf("your file: %q, %v", data, err)
			}
		})
	}
}
