package session

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/store"
)

// FuzzRecord reads any record of a host: it is either refused or can be written again, and a place
// that does not exist is not reached.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`null`))
	f.Add([]byte(
		`{"slot":"../x","socket":"/nowhere","agent":{"pid":-1},"host":{"pid":1,"host":"x"},"exit":{"code":1e9}}`,
	))
	f.Add([]byte(`{"session":7}`))
	dir := f.TempDir()
	if _, err := store.Create(f.Context(), dir, core.New(time.Now())); err != nil {
		f.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	if err := p.Store.WriteFile(host.File("executor"), nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(p.Store.Path(host.File("executor")), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, ok, err := ReadRecord(p, "executor"); err == nil && ok {
			isForeign(r.Host)
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
	})
}
