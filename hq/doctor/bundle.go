package doctor

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ferrus/checks/regular"
	"ferrus/hq/config"
)

// Bundle writes a tar.gz that can be shown to a stranger: the findings without
// what files and programs output, versions, the form of STATE.json and of the
// journal, the keys of ferrus.toml, facts of the system. It holds no text of a
// task, no log, no reason, no command, no value of the environment, no path.
func (r Report) Bundle(w io.Writer) error {
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	for _, part := range []struct {
		name string
		make func(Report) ([]byte, error)
	}{
		{"report.json", Report.findings}, {"versions.json", Report.programs}, {"system.json", Report.system},
		{"STATE.json", Report.state}, {"journal.jsonl", Report.journal}, {"ferrus.toml.keys", Report.keys},
	} {
		data, err := part.make(r)
		if err != nil {
			data = []byte("cannot be shown\n") // why may hold what should not be seen
		}
		header := &tar.Header{Name: "ferrus-doctor/" + part.name, Mode: 0o600, Size: int64(len(data)), ModTime: r.At,
			Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		if _, err := archive.Write(data); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

func indented(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}

// findings returns the report in our own words.
func (r Report) findings() ([]byte, error) {
	bare := Report{Version: r.Version, At: r.At}
	for _, f := range r.Findings {
		bare.Findings = append(bare.Findings, Finding{Area: f.Area, Severity: f.Severity, What: f.brief})
	}
	return indented(bare)
}

// programs returns what programs say of themselves, if that looks like a version.
func (r Report) programs() ([]byte, error) {
	all := map[string]string{"ferrus": r.Version, "go": runtime.Version()}
	for name, output := range r.inspected.versions {
		if slices.Contains(r.inspected.Agents, name) || name == "git" {
			all[name] = number(output)
		}
	}
	return indented(all)
}

// number returns the first word that is a version number.
func number(output string) string {
	for word := range strings.FieldsSeq(output) {
		if len(word) <= 24 && strings.Contains(word, ".") && strings.Trim(word, "0123456789.v") == "" {
			return word
		}
	}
	return ""
}

func (r Report) system() ([]byte, error) {
	return indented(map[string]any{"os": runtime.GOOS, "arch": runtime.GOARCH, "processors": runtime.NumCPU(),
		"zone": time.Now().Format("-07:00")})
}

// state is STATE.json with the values that are words, numbers and hashes of ours.
func (r Report) state() ([]byte, error) {
	data, err := r.inspected.Store.ReadFile("STATE.json")
	if err != nil {
		return nil, err
	}
	shown, err := redact(data)
	if err != nil {
		return indented(map[string]any{"unreadable": true, "bytes": len(data)})
	}
	return indented(shown)
}

// journalMost is how many lines are shown, the newest.
const journalMost = 10_000

func (r Report) journal() ([]byte, error) {
	lines, err := r.inspected.Store.Journal(0)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, l := range lines[max(0, len(lines)-journalMost):] {
		line, err := json.Marshal(map[string]any{
			"seq": l.Seq, "at": l.At, "event": event(l.Event), "by": who(l.By), "from": state(l.From),
			"to":  state(l.To),
			"why": len(l.Why), "data": len(l.Data), "state_sha": hexadecimal(l.StateSHA),
		})
		if err != nil {
			return nil, err
		}
		all = append(append(all, line...), '\n')
	}
	return all, nil
}

// keys returns the keys of ferrus.toml that ferrus knows and whose values are
// numbers or booleans.
func (r Report) keys() ([]byte, error) {
	data, err := regular.Read(filepath.Join(r.inspected.Dir, config.File), 1<<20)
	if err != nil {
		return nil, err
	}
	return []byte(strings.Join(known(string(data)), "\n") + "\n"), nil
}

// known reads lines, not TOML: it leaves out what looks like a key and is none
// of ours, and every value with a letter in it except true and false.
func known(text string) []string {
	section, all := "", map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section, _, _ = strings.Cut(name, "]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		name := strings.Trim(section+"."+strings.TrimSpace(key), ".")
		if !slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Name == name }) {
			continue
		}
		value, _, _ = strings.Cut(value, "#")
		value = strings.TrimSpace(value)
		if value != "true" && value != "false" && (len(value) > 10 || strings.Trim(value, "0123456789") != "") {
			value = "..."
		}
		all[name+" = "+value] = true
	}
	return slices.Sorted(maps.Keys(all))
}
