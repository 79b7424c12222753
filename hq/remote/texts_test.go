package remote

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/hq/wire"
)

// A text is sent once, and then named by its path on the worker. What is elsewhere is not sent.
func TestTextsThatAreNamedAreSent(t *testing.T) {
	t.Parallel()
	var got []string
	answer := "/far/texts/one.md"
	l := to(t, serving(handler{stream: func(m wire.Method, s wire.Stream) error {
		content := ""
		for {
			part, err := s.Receive(t.Context())
			if err != nil || m != wire.MethodUserFile {
				t.Errorf("%s: %v", m, err)
				return err
			}
			if len(part) == 0 {
				break
			}
			content += string(part)
		}
		got = append(got, content)
		return s.Send(t.Context(), []byte(answer))
	}}))
	dir := t.TempDir()
	for _, name := range []string{"one.md", "two.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the whole "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := newTexts(wire.Task{Task: "t-1", Attempt: 1}, []string{"/elsewhere", dir})
	for line, want := range map[string]string{
		"Read " + dir + "/one.md.":      "Read /far/texts/one.md.",
		`{"path":"` + dir + `/one.md"}`: `{"path":"/far/texts/one.md"}`,
		dir + "/none.md, " + dir + "x":  dir + "/none.md, " + dir + "x",
		"/etc/passwd":                   "/etc/passwd",
	} {
		if there, err := all.send(t.Context(), l, line); err != nil || there != want {
			t.Errorf("%q became %q, %v; want %q", line, there, err, want)
		}
	}
	if len(got) != 1 || got[0] != "the whole one.md" {
		t.Errorf("sent: %q", got)
	}
	answer = "/far/texts/../../other"
	if there, err := all.send(t.Context(), l, dir+"/two.md"); err == nil || there != dir+"/two.md" {
		t.Errorf("a worker that names another file: %q, %v", there, err)
	}
}
