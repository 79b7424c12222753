package home

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// server is a login of one of your MCP servers.
type server struct {
	name string // may have dots
	url  string
	n    int // how often it was renewed
}

// putServers writes a file of the vendor's own login, renewed n times, and logins of servers; in both forms.
func (s *fixture) putServers(dir string, n int, all ...server) {
	s.Helper()
	byName, list := map[string]any{}, []any{}
	for _, one := range all {
		access := fmt.Sprint(one.name, " a", one.n)
		byName[one.name] = map[string]any{"url": one.url, "access": access, "expires": one.n, "scope": "kept"}
		list = append(list, map[string]any{"name": one.name, "url": one.url,
			"token": map[string]any{"access": access, "expires": one.n}})
	}
	own := map[string]any{"access": fmt.Sprint("a", n), "expires": n}
	for name, value := range map[string]any{
		"servers.json": map[string]any{"own": own, "all": byName}, "list.json": list,
	} {
		text, err := json.Marshal(value)
		s.must(err)
		s.write(dir, ".vendor/"+name, string(text))
	}
}

// servers returns the tokens in both files; the vendor's own has no name.
func (s *fixture) servers(dir string) map[string]string {
	s.Helper()
	var one struct {
		Own struct{ Access string }
		All map[string]struct{ Access, Scope string }
	}
	s.must(json.Unmarshal([]byte(s.read(dir, ".vendor/servers.json")), &one))
	tokens := map[string]string{"": one.Own.Access}
	for name, login := range one.All {
		tokens[name] = login.Access
		if login.Scope != "kept" {
			s.Errorf("%s: %s lost a field", dir, name)
		}
	}
	var list []struct {
		Name  string
		Token struct{ Access string }
	}
	s.must(json.Unmarshal([]byte(s.read(dir, ".vendor/list.json")), &list))
	for _, login := range list {
		if tokens[login.Name] != login.Token.Access {
			s.Errorf("%s: %s has %q and %q", dir, login.Name, tokens[login.Name], login.Token.Access)
		}
	}
	return tokens
}

// Logins of your MCP servers are copied in, and each one that a session renews returns, whatever
// happens to the others in the same file.
func TestEachServersLoginReturns(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	const docs, mail = "https://docs.example.com/mcp|1f", "mail"
	s.putServers(s.real, 1, server{docs, "d", 1}, server{mail, "m", 1})
	a, b := s.home("executor"), s.home("reviewer")
	s.putServers(a.Dir, 1, server{docs, "d", 2}, server{mail, "m", 1})
	s.putServers(b.Dir, 2, server{docs, "d", 1}, server{mail, "m", 9})
	s.must(a.Sync())
	s.must(b.Sync())
	s.must(a.Sync())
	want := map[string]string{"": "a2", docs: docs + " a2", mail: mail + " a9"}
	for name, dir := range map[string]string{"yours": s.real, "executor": a.Dir, "reviewer": b.Dir} {
		if got := s.servers(dir); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	// A server that you log in to now is copied in; a login that a session adds, or has for another
	// server, does not return.
	s.putServers(s.real, 2, server{docs, "d", 2}, server{mail, "m", 9}, server{"new", "n", 1})
	s.putServers(a.Dir, 2, server{docs, "evil", 5}, server{mail, "m", 10}, server{"evil", "e", 1})
	if err := a.Sync(); err == nil || !strings.Contains(err.Error(), "another account") {
		t.Errorf("a login for another server: %v", err)
	}
	want = map[string]string{"": "a2", docs: docs + " a2", mail: mail + " a10", "new": "new a1"}
	for name, dir := range map[string]string{"yours": s.real, "executor": a.Dir} {
		if got := s.servers(dir); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	for _, text := range []string{"7", `"x"`, "null", "[7]", `{"all":[]}`, `{"all":{"mail":7}}`} {
		s.write(a.Dir, ".vendor/servers.json", text)
		_ = a.Sync() // it may say what is wrong
		if got := s.servers(s.real); !reflect.DeepEqual(got, want) {
			t.Errorf("after %s yours are %q", text, got)
		}
	}
	s.must(os.Remove(filepath.Join(s.real, ".vendor/list.json"))) // you logged out everywhere
	s.must(a.Sync())
}
