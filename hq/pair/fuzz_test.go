package pair

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// folder is a plain directory as a disk.
type folder string

func (d folder) path(name string) string { return filepath.Join(string(d), filepath.Base(name)) }

func (d folder) MkdirExclusive(string) error { return nil }
func (d folder) WriteFile(name string, data []byte) error {
	return os.WriteFile(d.path(name), data, 0o600)
}
func (d folder) ReadFile(name string) ([]byte, error)   { return os.ReadFile(d.path(name)) }
func (d folder) OpenFile(name string) (*os.File, error) { return os.Open(d.path(name)) }
func (d folder) List(string) ([]string, error)          { return nil, fs.ErrNotExist }
func (d folder) Append(name string) (*os.File, error) {
	return os.OpenFile(d.path(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

const fuzzID = "p-20261120-101500-4f2a"

// FuzzRun reads arbitrary files of a run: whatever can be read can be written and read back
// unchanged, an appended line is found, and nothing panics.
func FuzzRun(f *testing.F) {
	for _, s := range []string{
		`null`, `{}`, `[`, `{"schema":99}`,
		`{"state":"no such","loop":{"iteration":-1},"read":{"primary":-5},"last":{"seq":7}}`,
		`{"id":"` + fuzzID +
			`","state":"failed","resume_state":"reviewing","history":[{}],"sessions":{"x":{}},` +
			`"inbox":{"primary":[{"text":"x"}]}}`,
		`{"id":"` + fuzzID + `","max_iterations":-1,"created_at":"0000-00-00","mode":"review"}`,
	} {
		f.Add([]byte(s), []byte("{\"seq\":1,\"text\":\"x\"}\n{\"to\":\"primary\"}\n\n{torn"), int64(0))
	}
	f.Add([]byte(`{"id":"`+fuzzID+`"}`), []byte("\x00\n[]\nnull\n"), int64(-1))
	d := folder(f.TempDir())
	f.Fuzz(func(t *testing.T, manifest, lines []byte, from int64) {
		m := Manifest{ID: fuzzID}
		for name, data := range map[string][]byte{
			m.file("manifest.json"): manifest, m.file(transcriptName): lines, m.file(messagesName): lines,
		} {
			if err := d.WriteFile(name, data); err != nil {
				t.Fatal(err)
			}
		}
		m, err := readManifest(d, fuzzID)
		if err != nil {
			return
		}
		r := &Run{Manifest: m, disk: d, machine: m.machine()}
		r.syncMachine()
		if err := r.save(); err != nil {
			t.Fatal(err)
		}
		again, err := readManifest(d, fuzzID)
		if err != nil {
			t.Fatal(err)
		}
		one, errOne := json.Marshal(r.Manifest)
		two, errTwo := json.Marshal(again)
		if errors.Join(errOne, errTwo) != nil || !bytes.Equal(one, two) {
			t.Errorf("%s reads back as\n%s, %v, %v", one, two, errOne, errTwo)
		}
		repaired := r.addLostStep()
		if err := r.append(Entry{Type: "session", Text: "mine"}); err != nil {
			t.Fatal(err)
		}
		all, err := r.Transcript()
		if err != nil || len(all) == 0 || all[len(all)-1].Text != "mine" {
			t.Errorf("the transcript is %v, %v (repaired: %v); want the appended line last", all, err, repaired)
		}
		r.Manifest.Read = map[string]int64{Primary: from}
		if _, end, err := r.mail(Primary); err == nil && end < from {
			t.Errorf("mail was read up to %d, starting at %d", end, from)
		}
	})
}
