package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"ferrus/hq"
)

// lastSpec is where HQ looks for the newest specification.
const lastSpec = "LAST_SPEC_PATH"

// createSpec writes a specification to a file of its own and selects it.
func (s *server) createSpec(c *call) (*outcome, error) {
	markdown := c.arguments["markdown"]
	if strings.TrimSpace(markdown) == "" {
		return nil, c.tool.misuse("the specification is empty", "markdown: a text that is not blank")
	}
	config, err := s.project.Config()
	if err != nil {
		return nil, err
	}
	name, err := s.writeSpec(config.Spec.Directory, strings.TrimRight(markdown, "\n")+"\n")
	if err != nil {
		return nil, fmt.Errorf("write the specification: %w", err)
	}
	if err := s.project.Store.WriteFile(lastSpec, []byte(name)); err != nil {
		return nil, fmt.Errorf("write %s: %w", lastSpec, err)
	}
	milestone := firstOpen(markdown)
	r, err := s.do(c, hq.Command{Kind: "create_spec", Select: &hq.Selection{SelectedSpec: name, SelectedMilestone: milestone}})
	if err != nil {
		return nil, err
	}
	r.Status, r.Path, r.Milestone = "written", name, milestone
	return result(r), nil
}

// writeSpec writes into a directory below the project, never over another file
// and never outside. The same text again is the same file.
func (s *server) writeSpec(directory, text string) (string, error) {
	root, err := os.OpenRoot(s.project.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if before, err := s.project.Store.ReadFile(lastSpec); err == nil {
		name := strings.TrimSpace(string(before))
		if data, err := root.ReadFile(name); err == nil && string(data) == text {
			return name, nil
		}
	}
	if err := root.MkdirAll(directory, 0o755); err != nil {
		return "", err
	}
	base := time.Now().UTC().Format(time.DateOnly) + "-" + slug(text)
	for n := 1; ; n++ {
		name := path.Join(directory, base+".md")
		if n > 1 {
			name = path.Join(directory, fmt.Sprintf("%s-%d.md", base, n))
		}
		if err := writeNew(root, name, text); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

func writeNew(root *os.Root, name, text string) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// slug is the title of a specification as part of a file name.
func slug(text string) string {
	title := "spec"
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && strings.TrimSpace(rest) != "" {
			title = rest
			break
		}
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "-")
	if len(name) > 80 {
		name = strings.TrimRight(name[:80], "-")
	}
	if name == "" {
		return "spec"
	}
	return name
}

// header is the line a milestone begins with: - [ ] #1.0 Title.
var header = regexp.MustCompile(`^\s*- \[([ xX])\] #\S+ +\S`)

// firstOpen is the id of the first milestone that is not ticked; empty when
// there is none. Milestones without an id do not count.
func firstOpen(markdown string) string {
	inside, open, id := false, false, ""
	for line := range strings.Lines(markdown) {
		if mark := header.FindStringSubmatch(line); mark != nil {
			if open && id != "" {
				return id
			}
			inside, open, id = true, mark[1] == " ", ""
			continue
		}
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "- "), "ID:"); ok && inside {
			id = strings.TrimSpace(rest)
		}
	}
	if open {
		return id
	}
	return ""
}
