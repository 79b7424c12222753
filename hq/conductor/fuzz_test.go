package conductor

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

// FuzzRecord reads any record of a host and any journal line of a gate: it is
// refused, or can be written again, and a place that is not there is not reached.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`null`), []byte(`{"gate":{"verdict":"FAIL","tree":"a"}}`))
	f.Add([]byte(`{"slot":"../x","socket":"/nowhere","agent":{"pid":-1},"host":{"pid":1,"host":"x"},"exit":{"code":1e9}}`), []byte(`{"gate":7}`))
	f.Add([]byte(`{"session":7}`), []byte(`[`))
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
	f.Fuzz(func(t *testing.T, data, line []byte) {
		if err := os.WriteFile(p.Store.Path(host.File("executor")), data, 0o600); err != nil {
			t.Fatal(err)
		}
		var repeated repetition
		repeated.witness(store.Line{Event: "checked", Data: line})
		if r, ok, err := Record(p, "executor"); err == nil && ok {
			foreign(r.Host)
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
	})
}
