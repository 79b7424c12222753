package tamper

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// Characters that a language takes for others: Python for the letters that they look like,
// JavaScript and Java for what they escape. A coding of its own hides all that a file says.
var (
	likeLetters = lazyregexp.New(
		`[\w.][\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{FF3F}\x{1D400}-\x{1D7FF}\x{2071}\x{207F}\x{017F}]` +
			`|[\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{1D400}-\x{1D7FF}\x{017F}]\w`)
	escaped = lazyregexp.New(
		`[\w.]\\u(?:00|\{0*)(?:[46][1-9a-fA-F]|[57][0-9aA])|\\u(?:00|\{0*)(?:[46][1-9a-fA-F]|[57][0-9aA])\}?\w`)
	escapedEnd = lazyregexp.New(`\\u+00(?:0[aAdD]|2[0-9a-fA-F]|3[b-fB-F])`)
	escapes    = lazyregexp.New(`\.(?:[cm]?[jt]sx?|vue|svelte|java|kts?|groovy|scala)$`)
	coding     = lazyregexp.New(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)
	plainCode  = lazyregexp.New(`(?i)^(?:utf-?8(?:-unix|-sig)?|u8|us-ascii|ascii|latin-?1|iso-8859-\d+|cp125\d` +
		`|windows-125\d|koi8-[ru]|gbk|gb2312|gb18030|euc-\w+|shift_jis|big5)$`)
)

// checkOdd raises a line of code that is not what it looks like.
func (f *finder) checkOdd(l checks.LineChange) {
	if !l.Added || l.Odd == "" && strings.IndexByte(l.Text, '\\') < 0 && isPlain(l) ||
		!f.kind(l.Path).product && !f.isScript(l.Path) && path.Base(l.Path) != "conftest.py" {
		return
	}
	why := l.Odd
	switch {
	case why != "":
	case pythonCode.MatchString(l.Path) && likeLetters.MatchString(l.Text):
		why = "it contains lookalike letters that Python reads as ordinary ones"
	case escapes.MatchString(l.Path) && escaped.MatchString(l.Text),
		javaCode.MatchString(l.Path) && escapedEnd.MatchString(l.Text):
		why = "it spells letters as escapes"
	case pythonCode.MatchString(l.Path) && l.Number <= 2:
		if m := coding.FindStringSubmatch(l.Text); m != nil && !plainCode.MatchString(m[1]) {
			why = "Python reads the file in the encoding " + m[1]
		}
	}
	if why == "" || generatedPath.MatchString(l.Path) && l.Odd != "" {
		return
	}
	for _, a := range f.alarms {
		if a.Rule == textHidden && a.Path == l.Path {
			a.quote(l)
			return
		}
	}
	a := f.raise(textHidden, l.Path)
	a.Why += ": " + why
	a.quote(l)
}

// isPlain reports whether a line has ASCII alone, and no declaration of another coding.
func isPlain(l checks.LineChange) bool {
	for i := range len(l.Text) {
		if l.Text[i] >= 0x80 {
			return false
		}
	}
	return l.Number > 2 || !strings.Contains(l.Text, "coding")
}

// object is a file that programs load like code, or in its place.
var object = lazyregexp.New(`\.(?:py[cod]|so(?:\.[\d.]+)?|dylib|dll|exe|node|class|jar|war|whl|egg|o|obj|a|lib|syso|rlib` +
	`|rmeta|wasm|beam|phar|gem|nupkg)$`)

// compiled raises a file with compiled code that comes or changes.
func (f *finder) compiled(file checks.FileChange) {
	if object.MatchString(file.Path) && !example.MatchString(file.Path) && file.Status != 'D' {
		f.raise("compiled-code", file.Path)
	}
}

// isSettings reports whether a file of settings is looked at as a whole.
func isSettings(file checks.FileChange) bool {
	for _, name := range []string{file.Path, file.Was()} {
		switch path.Base(name) {
		case "package.json", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg",
			"pyproject.toml":
			return true
		}
		if slices.ContainsFunc(parts, func(p part) bool { return p.path.MatchString(name) }) {
			return true
		}
	}
	return false
}
