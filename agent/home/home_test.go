package home

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var vendor = List{Dirs: []Dir{{
	Variable: "VENDOR_HOME", Default: ".vendor", Copy: []string{"settings.json", "skills"},
	Logins: []Login{
		{File: "auth.json", Accounts: []Account{{Fields: []string{"tokens.access", "tokens.refresh"},
			Owner: []string{"account"}, Renewed: "renewed"}}},
		{File: "servers.json", Accounts: []Account{
			{Fields: []string{"own.access"}, Renewed: "own.expires"},
			{Fields: []string{"all.*.access"}, Owner: []string{"all.*.url"}, Renewed: "all.*.expires"}}},
		{File: "list.json", Accounts: []Account{{Fields: []string{"[name].token.access"}, Owner: []string{"[name].url"},
			Renewed: "[name].token.expires"}}},
	},
}}}

// fixture is your home, with a login that was renewed n times.
type fixture struct {
	*testing.T
	real string
	dir  string
}

func newFixture(t *testing.T) *fixture {
	s := &fixture{t, t.TempDir(), t.TempDir()}
	s.write(s.real, ".vendor/settings.json", `{"hooks":[]}`)
	s.write(s.real, ".vendor/skills/one/SKILL.md", "one")
	s.write(s.real, ".vendor/auth.json", auth("me", 1))
	return s
}

func auth(account string, n int) string {
	return fmt.Sprintf(`{"account":%q,"tokens":{"access":"a%d","refresh":"r%d"},"renewed":%d,"kept":true}`, account, n, n, n)
}

func (s *fixture) home(slot string) Home {
	s.Helper()
	h := Home{Dir: filepath.Join(s.dir, slot), State: filepath.Join(s.dir, slot+".logins"),
		Locks: filepath.Join(s.dir, "locks"), Real: s.real, List: vendor}
	s.must(h.Fill())
	return h
}

func (s *fixture) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *fixture) write(dir, name, text string) {
	s.Helper()
	file := filepath.Join(dir, name)
	s.must(os.MkdirAll(filepath.Dir(file), 0o700))
	s.must(os.WriteFile(file, []byte(text), 0o600))
}

func (s *fixture) read(dir, name string) string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	s.must(err)
	return string(data)
}

// access returns the token in a login file.
func (s *fixture) access(dir string) string {
	s.Helper()
	var a struct {
		Tokens struct{ Access string }
		Kept   bool
	}
	s.must(json.Unmarshal([]byte(s.read(dir, ".vendor/auth.json")), &a))
	if !a.Kept {
		s.Errorf("%s lost a field", dir)
	}
	return a.Tokens.Access
}

func TestSettingsComeInAndNeverReturn(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	h := s.home("executor")
	if s.read(h.Dir, ".vendor/skills/one/SKILL.md") != "one" || s.access(h.Dir) != "a1" {
		t.Error("something was not copied")
	}
	s.write(h.Dir, ".vendor/settings.json", `{"hooks":["evil"]}`)
	s.write(h.Dir, ".vendor/sessions/1.jsonl", "said")
	s.must(h.Sync())
	if got := s.read(s.real, ".vendor/settings.json"); got != `{"hooks":[]}` {
		t.Errorf("yours became %s", got)
	}
	s.home("executor")
	if got := s.read(h.Dir, ".vendor/settings.json"); got != `{"hooks":[]}` {
		t.Errorf("the next session has %s", got)
	}
	if s.read(h.Dir, ".vendor/sessions/1.jsonl") != "said" {
		t.Error("the conversation is lost")
	}
}

// If two sessions renew a token at once, the newest one ends up in your home and in theirs.
func TestRenewedTwiceAtOnceLosesNoLogin(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	a, b := s.home("executor"), s.home("reviewer")
	s.write(a.Dir, ".vendor/auth.json", auth("me", 2))
	s.write(b.Dir, ".vendor/auth.json", auth("me", 10))
	var all sync.WaitGroup
	for range 20 {
		for _, h := range []Home{a, b} {
			all.Go(func() {
				if err := h.Sync(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	for name, dir := range map[string]string{"yours": s.real, "executor": a.Dir, "reviewer": b.Dir} {
		if got := s.access(dir); got != "a10" {
			t.Errorf("the access to %s is %s, want a10", name, got)
		}
	}
	s.write(s.real, ".vendor/auth.json", auth("me", 11)) // you renewed it
	s.must(a.Sync())
	if s.access(a.Dir) != "a11" || s.access(s.real) != "a11" {
		t.Error("what you renewed did not arrive")
	}
	s.write(a.Dir, ".vendor/auth.json", auth("me", 12))
	s.must(a.Sync())
	s.must(b.Sync())
	if s.access(b.Dir) != "a12" || s.access(s.real) != "a12" {
		t.Error("what one session renewed did not arrive in the other")
	}
}

// Whatever a session leaves in place of its login, yours stays the old one or a renewed one.
func TestALoginReturnsOnlyAsARenewedOne(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(s *fixture, h Home){
		"another account": func(s *fixture, h Home) { s.write(h.Dir, ".vendor/auth.json", auth("evil", 5)) },
		"no JSON":         func(s *fixture, h Home) { s.write(h.Dir, ".vendor/auth.json", `{"tokens":`) },
		"too long": func(s *fixture, h Home) {
			s.write(h.Dir, ".vendor/auth.json", strings.Replace(auth("me", 5), "a5", strings.Repeat("a", 2<<20), 1))
		},
		"a value that is none": func(s *fixture, h Home) {
			s.write(h.Dir, ".vendor/auth.json", strings.Replace(auth("me", 5), `"a5"`, `7`, 1))
		},
		"nothing": func(s *fixture, h Home) { s.must(os.Remove(filepath.Join(h.Dir, ".vendor/auth.json"))) },
		"a link": func(s *fixture, h Home) {
			file := filepath.Join(h.Dir, ".vendor/auth.json")
			s.must(os.Remove(file))
			s.write(s.dir, "secret", auth("me", 9))
			s.must(os.Symlink(filepath.Join(s.dir, "secret"), file))
		},
		"a link for the directory": func(s *fixture, h Home) {
			s.must(os.RemoveAll(filepath.Join(h.Dir, ".vendor")))
			s.write(s.dir, "elsewhere/auth.json", auth("me", 9))
			s.must(os.Symlink(filepath.Join(s.dir, "elsewhere"), filepath.Join(h.Dir, ".vendor")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			h := s.home("executor")
			s.write(s.dir, "victim", "untouched")
			put(s, h)
			_ = h.Sync() // it may say what is wrong
			if got := s.access(s.real); got != "a1" {
				t.Errorf("yours is %s", got)
			}
			s.home("executor") // and the next session starts all the same
			if info, err := os.Lstat(filepath.Join(h.Dir, ".vendor")); err != nil || !info.IsDir() {
				t.Errorf("the directory: %v, %v", info, err)
			}
		})
	}
	t.Run("a new field", func(t *testing.T) {
		s := newFixture(t)
		h := s.home("executor")
		s.write(h.Dir, ".vendor/auth.json", strings.Replace(auth("me", 5), `"kept"`, `"endpoint":"evil","kept"`, 1))
		s.must(h.Sync())
		if got := s.read(s.real, ".vendor/auth.json"); strings.Contains(got, "evil") || s.access(s.real) != "a5" {
			t.Errorf("yours is %s", got)
		}
	})
}

func TestVariablesLeadIntoThePrivateHome(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	elsewhere := t.TempDir()
	s.write(elsewhere, "settings.json", "moved")
	h := Home{Dir: filepath.Join(s.dir, "h"), State: filepath.Join(s.dir, "h.logins"),
		Locks: filepath.Join(s.dir, "locks"), Real: s.real, Vars: []string{"VENDOR_HOME=" + elsewhere}, List: vendor}
	s.must(h.Fill())
	if got := strings.Join(h.Env(), " "); got != "HOME="+h.Dir+" VENDOR_HOME="+h.Dir+"/.vendor" {
		t.Errorf("the variables are %s, want HOME and VENDOR_HOME", got)
	}
	if s.read(h.Dir, ".vendor/settings.json") != "moved" {
		t.Error("the settings are not from where the variable leads")
	}
}

// A cache is copied once, and a task that changes its copy leaves yours unchanged.
func TestSeedCopiesACacheOnce(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	from, to := filepath.Join(s.real, "cache"), filepath.Join(s.dir, "cache")
	s.write(from, "00/a", "yours")
	s.must(Seed(t.Context(), from, s.dir, "cache"))
	file, err := os.OpenFile(filepath.Join(to, "00/a"), os.O_WRONLY, 0)
	s.must(err)
	_, err = file.WriteString("other")
	s.must(err)
	s.must(file.Close())
	if got := s.read(from, "00/a"); got != "yours" {
		t.Errorf("yours became %s", got)
	}
	s.must(Seed(t.Context(), from, s.dir, "cache"))
	if got := s.read(to, "00/a"); got != "other" {
		t.Errorf("the task's became %s", got)
	}
}

// A link that a session left on the way to its cache is not followed: nothing is created outside
// the caches.
func TestSeedFollowsNoLinkOutside(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	from, top, outside := filepath.Join(s.real, "cache"), filepath.Join(s.dir, "caches"), filepath.Join(s.real, "ssh")
	s.write(from, "00/a", "yours")
	s.must(os.MkdirAll(outside, 0o700))
	s.must(os.MkdirAll(top, 0o700))
	s.must(os.Symlink(outside, filepath.Join(top, ".cache")))
	if err := Seed(t.Context(), from, top, ".cache/go-build"); err == nil {
		t.Error("the cache was made behind a link")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside the home are %v, %v; want nothing", entries, err)
	}
}

// Files that ferrus writes into a session's directory end up there, whatever the session left in
// their place.
func TestWriteFollowsNoLink(t *testing.T) {
	s := newFixture(t)
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "yours")
	s.must(os.WriteFile(outside, []byte("yours"), 0o600))
	s.must(os.Symlink(outside, filepath.Join(dir, "link")))
	s.must(os.MkdirAll(filepath.Join(dir, "full", "of"), 0o700))
	for _, name := range []string{"link", "full", "new"} {
		s.must(Write(dir, name, []byte("ours")))
		if got := s.read(dir, name); got != "ours" {
			t.Errorf("%s is %q, want ours", name, got)
		}
	}
	if got := s.read(filepath.Dir(outside), "yours"); got != "yours" {
		t.Errorf("a file outside is %q", got)
	}
}

// Many users keep their settings in a repository and link to them.
func TestLinkedDirectoriesAreCopied(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.must(os.RemoveAll(filepath.Join(s.real, ".vendor/skills")))
	s.write(s.real, "dotfiles/skills/two/SKILL.md", "two")
	s.must(os.Symlink(filepath.Join(s.real, "dotfiles/skills"), filepath.Join(s.real, ".vendor/skills")))
	s.must(os.Symlink("..", filepath.Join(s.real, "dotfiles/skills/round")))
	s.must(os.Symlink("nowhere", filepath.Join(s.real, "dotfiles/skills/broken")))
	h := s.home("executor")
	if got := s.read(h.Dir, ".vendor/skills/two/SKILL.md"); got != "two" {
		t.Errorf("it is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(h.Dir, ".vendor/skills/round/skills")); err == nil {
		t.Error("a directory was copied into itself")
	}
}

// Paths into the vendor's directory in settings lead into the private home.
func TestPathsInSettingsLeadIntoTheHome(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	real := filepath.Join(s.real, ".vendor")
	s.write(s.real, ".vendor/settings.json",
		`{"hook":"`+real+`/skills/one/SKILL.md","other":"/mnt`+real+`/x `+real+`.old/x"}`)
	h := s.home("executor")
	want := `{"hook":"` + filepath.Join(h.Dir, ".vendor/skills/one/SKILL.md") + `","other":"/mnt` + real + `/x ` + real +
		`.old/x"}`
	if got := s.read(h.Dir, ".vendor/settings.json"); got != want {
		t.Errorf("they say %s, not %s", got, want)
	}
	if !h.Has(filepath.Join(real, "skills/one/SKILL.md")) || h.Has(filepath.Join(real, "auth.old")) ||
		h.Has(filepath.Join(s.real, "other")) {
		t.Error("Has is wrong")
	}
}

// A large directory is not copied: a link leads to it, and is removed once the directory is gone.
func TestLargeDirectoriesAreShown(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.write(s.real, ".vendor/plugins/p/plugin.json", "{}")
	s.write(s.real, ".vendor/hook.sh", "#!/bin/sh")
	h := s.home("executor")
	h.List = List{Dirs: []Dir{{Default: ".vendor", Copy: []string{"*.sh"}, Show: []string{"plugins", "none"}}}}
	s.write(h.Dir, ".vendor/plugins/evil", "a session wrote it")
	s.must(h.Fill())
	if s.read(h.Dir, ".vendor/plugins/p/plugin.json") != "{}" || s.read(h.Dir, ".vendor/hook.sh") != "#!/bin/sh" {
		t.Error("it is not there")
	}
	plugins := filepath.Join(s.real, ".vendor/plugins")
	if got := h.Readable(); len(got) != 1 || got[0] != plugins {
		t.Errorf("to be read: %q", got)
	}
	if _, err := os.Lstat(filepath.Join(plugins, "evil")); err == nil {
		t.Error("yours was written")
	}
	s.must(os.RemoveAll(plugins))
	s.must(h.Fill())
	if _, err := os.Lstat(filepath.Join(h.Dir, ".vendor/plugins")); err == nil {
		t.Error("a link to nothing is left")
	}
}

// If the program identifies settings by a hash, only keys change.
func TestHashedSettingsKeepTheirPaths(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	file := filepath.Join(s.real, ".vendor/settings.json")
	config := "hook = \"%[1]s:1\"\n[state.\"%[2]s:1\"]\n \"%[2]s:2\" = { command = \"%[1]s\" }\n\n  "
	s.write(s.real, ".vendor/settings.json", `{"hook":"`+file+`"}`)
	s.write(s.real, ".vendor/config.toml", fmt.Sprintf(config, file, file))
	h := s.home("executor")
	h.List = List{Dirs: []Dir{{Default: ".vendor", Copy: []string{"settings.json", "config.toml"}, Hashed: true}}}
	s.must(h.Fill())
	if got := s.read(h.Dir, ".vendor/settings.json"); got != `{"hook":"`+file+`"}` {
		t.Errorf("the settings are %s, want only the hook", got)
	}
	want := fmt.Sprintf(config, file, filepath.Join(h.Dir, ".vendor/settings.json"))
	if got := s.read(h.Dir, ".vendor/config.toml"); got != want {
		t.Errorf("keys: %s\nnot %s", got, want)
	}
	if got := h.Readable(); len(got) != 2 || got[0] != file {
		t.Errorf("to be read: %q", got)
	}
}
