package project

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/store"
)

// FuzzFiles gives the readers of the small files below .ferrus, and of the user's trust store, any
// content: their results can be written again, and nothing panics.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{
		`null`, `[]`, `{`, "\x00",
		`{"agents":[{"slot":"../x","process":{"pid":-1},"session_seq":-1}],"wants":[{"kind":"x"}]}`,
		`{"pid":99999999999999999999}`, `{"pid":1,"start":18446744073709551615,"first_call":"x"}`,
		`{"kind":"message","text":"hello"}`,
		`{"session":"s","slot":"executor","usage":{"input":-1}}` + "\n" + `{"session":"s","usage":{"cost":1e308}}` +
			"\n{\"session\"",
		`[{"tree":"x","tests":{"run":-1}}]`, `{"verdict":"PASS","commands":[{"exit":"0"}]}`, `{"projects":{"/x":null}}`,
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	if _, err := store.Create(f.Context(), dir, core.New(time.Now())); err != nil {
		f.Fatal(err)
	}
	p, err := Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	book := &TrustStore{File: filepath.Join(dir, "trust.json")}
	const session = "0123456789abcdef"
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{registryFile, presenceFile(session), directiveFile(session), countsFile,
			EndedFile, "checks/7.json"} {
			if err := os.WriteFile(p.Store.Path(name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(book.File, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Registry(); err == nil {
			r.Session(session)
			for _, e := range r.Agents {
				process.Alive(e.Process)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
		p.Presence(session)
		if _, ok, _ := p.TakeDirective(session); ok {
			t.Error("a directive is taken that ferrus did not write")
		}
		if err := p.PostDirective(session, Directive{Kind: DirectiveEnd}); err != nil {
			t.Fatal(err)
		}
		if d, ok, err := p.TakeDirective(session); !ok || err != nil || d.Kind != DirectiveEnd {
			t.Errorf("a forged directive is in the way: %+v, %v", d, err)
		}
		if _, ok, err := p.TakeDirective(session); ok || err != nil {
			t.Errorf("a directive is taken twice, or stays: %v", err)
		}
		p.counts()
		if err := p.AddEnded(Ended{Session: session}); err != nil {
			t.Fatal(err)
		}
		all, err := p.Ended("")
		if err != nil || !slices.ContainsFunc(all, func(e Ended) bool { return e.Session == session }) {
			t.Errorf("a session that ended is not among %v, %v", all, err)
		}
		SumUsage(all)
		if r, ok := p.record(core.World{Gate: &core.Gate{Ticket: 7}}); ok {
			r.Report(30)
			r.Tests()
			r.Empty()
		}
		book.IsTrusted(dir, core.Definition{})
	})
}
