package checks

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"ferrus/checks/git"
)

// patchLine is one line of a patch. Mark is 0 where a file begins, '@' for the
// head of a hunk, and else the first byte.
type patchLine struct {
	path   string
	was    string // what the file was called, if it was renamed
	mode   string // where a file begins, in words
	mark   byte
	number int // of a line that is added or removed
	text   []byte
	long   bool // the rest of it is left out
}

// patch reads the patch between two trees line by line.
func (p *private) patch(ctx context.Context, around, a, b string, f func(patchLine)) error {
	out, err := p.startPatch(ctx, around, a, b)
	if err != nil {
		return err
	}
	return readPatch(out, f)
}

// startPatch has git compare two trees.
func (p *private) startPatch(ctx context.Context, around, a, b string) (*git.Stream, error) {
	g, remove, err := p.treesGit(ctx, a, b)
	if err != nil {
		return nil, err
	}
	out, err := g.Stream(ctx, slices.Concat(comparing, []string{"-p", "--text", around, "--src-prefix=a/",
		"--dst-prefix=b/", a, b, "--"})...)
	if err != nil {
		remove()
		return nil, err
	}
	out.AtClose(remove)
	return out, nil
}

// readPatch reads it line by line, to the end.
func readPatch(out *git.Stream, f func(patchLine)) error {
	r := patchReader{show: f}
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		text, err := lines.ReadSlice('\n')
		r.long = errors.Is(err, bufio.ErrBufferFull)
		r.readLine(bytes.TrimSuffix(text, newline))
		for errors.Is(err, bufio.ErrBufferFull) { // The rest of a long line is left out.
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			r.startFile()
			return out.Close() // which says whether it was the end
		}
	}
}

// patchReader knows where in a patch it is.
type patchReader struct {
	show             func(patchLine)
	path, was        string
	oldMode, newMode string
	inHead           bool
	long             bool // the line that is read has more to it
	oldLine, newLine int
}

func (r *patchReader) readLine(text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte("diff --git ")):
		r.startFile()
		r.inHead, r.path, r.was = true, headPath(string(text[len("diff --git "):])), ""
		r.oldMode, r.newMode = "", ""
	case bytes.HasPrefix(text, []byte("@@ ")):
		r.startFile()
		r.hunk(string(text))
		r.show(patchLine{path: r.path, was: r.was, mark: '@', text: text})
	case r.inHead:
		r.head(string(text))
	case len(text) > 0:
		r.content(text)
	}
}

// startFile shows that a file begins, once its head is read: a rename is named only there.
func (r *patchReader) startFile() {
	if r.inHead {
		r.inHead = false
		r.show(patchLine{path: r.path, was: r.was, mode: describeMode(r.oldMode, r.newMode)})
	}
}

// describeMode says what a file's modes mean; an empty mode is of a file that is not there.
func describeMode(old, new string) string {
	const executable = "100755"
	switch {
	case new == "120000":
		return "symbolic link"
	case new == "160000":
		return "submodule"
	case old == new:
	case new == executable && old == "":
		return "executable"
	case new == executable:
		return "now executable"
	case old == executable:
		return "no longer executable"
	}
	return ""
}

// head reads the modes and the names: the newer one is what the file is called.
func (r *patchReader) head(text string) {
	switch fields := strings.Fields(text); {
	case strings.HasPrefix(text, "old mode "):
		r.oldMode = fields[2]
	case strings.HasPrefix(text, "new mode "):
		r.newMode = fields[2]
	case strings.HasPrefix(text, "new file mode "):
		r.newMode = fields[3]
	case strings.HasPrefix(text, "index ") && len(fields) == 3: // both
		r.oldMode, r.newMode = fields[2], fields[2]
	}
	if name, ok := strings.CutPrefix(text, "rename from "); ok {
		r.was = unquoted(name)
	}
	for _, prefix := range []string{"--- ", "+++ ", "rename to "} {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			if name = unquoted(name); name != "/dev/null" {
				r.path = name
				if prefix != "rename to " {
					r.path = name[min(2, len(name)):]
				}
			}
		}
	}
}

// hunk reads where the next lines are: @@ -1,2 +3 @@.
func (r *patchReader) hunk(text string) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return
	}
	for i, at := range []*int{&r.oldLine, &r.newLine} {
		number, _, _ := strings.Cut(fields[i+1][1:], ",")
		*at, _ = strconv.Atoi(number) // Git writes numbers.
	}
}

func (r *patchReader) content(text []byte) {
	line := patchLine{path: r.path, was: r.was, mark: text[0], text: text, long: r.long}
	switch line.mark {
	case '-':
		line.number = r.oldLine
		r.oldLine++
	case '+':
		line.number = r.newLine
		r.newLine++
	case ' ':
		r.oldLine++
		r.newLine++
	}
	r.show(line)
}

// headPath returns the name in a/name b/name, for files whose name is on no other line.
func headPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		name := unquoted(text[:len(text)/2])
		return name[min(2, len(name)):]
	}
	half := text[:len(text)/2]
	return half[min(2, len(half)):]
}

// unquoted reads a name as git writes it: in quotes when it has odd characters.
func unquoted(name string) string {
	name = strings.TrimSuffix(name, "\t")
	if !strings.HasPrefix(name, `"`) {
		return name
	}
	plain, err := strconv.Unquote(name)
	if err != nil {
		return strings.Trim(name, `"`)
	}
	return plain
}
