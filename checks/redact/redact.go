package host

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
)

// hidden replaces a secret in a log.
const hidden = "[redacted]"

// shortest is the length up to which an environment value may be an ordinary word, and
// longestHeld the number of bytes held back that may be the beginning of a secret.
const (
	shortest    = 12
	longestHeld = 4 << 10
)

// keys are the shapes of well-known keys, each from the beginning of a word.
var keys = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`sk-[A-Za-z0-9_-]{16,}`,
	`gh[opusr]_[A-Za-z0-9]{20,}`, `github_pat_[A-Za-z0-9_]{20,}`, `glpat-[A-Za-z0-9_-]{20,}`,
	`AKIA[0-9A-Z]{16}`, `AIza[0-9A-Za-z_-]{30,}`,
	`xox[abprs]-[A-Za-z0-9-]{10,}`, `npm_[A-Za-z0-9]{30,}`,
	`eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
}, "|") + `)`)

// keyPrefixes are how such keys begin. The expression is slow, and an agent may write more
// per second than it can match.
var keyPrefixes = []string{"sk-", "gh", "glpat-", "AKIA", "AIza", "xox", "npm_", "eyJ"}

// Redactor is a writer that passes on everything but secrets: values of the environment, and
// what has the shape of a key. A secret may come in pieces, so it holds back the end of what
// was written; Close writes the rest.
type Redactor struct {
	to      io.WriteCloser
	secrets [][]byte
	held    []byte
}

// NewRedactor returns a redactor of the values of an environment that are long enough to
// be secrets. Paths are not secrets, nor are the usual names of terminals.
func NewRedactor(to io.WriteCloser, environ ...string) *Redactor {
	return &Redactor{to: to, secrets: secretsOf(environ)}
}

// Redacted returns a text without these secrets.
func Redacted(text string, environ ...string) string {
	r := &Redactor{secrets: secretsOf(environ)}
	return string(r.redact([]byte(text)))
}

// secretsOf returns the values of an environment that may be secrets, the longest first.
func secretsOf(environ []string) (secrets [][]byte) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) <= shortest || strings.HasPrefix(value, "/") || slices.Contains(harmlessNames, name) {
			continue
		}
		secrets = append(secrets, []byte(value))
	}
	slices.SortFunc(secrets, func(a, b []byte) int { return len(b) - len(a) }) // one may be in another
	return secrets
}

// harmlessNames are variables whose values are not secret and appear in ordinary output.
var harmlessNames = []string{
	"TERM", "LANG", "LS_COLORS", "DBUS_SESSION_BUS_ADDRESS", "HOSTNAME", "GOPROXY", "DEBIAN_FRONTEND",
}

func (r *Redactor) Write(p []byte) (int, error) {
	r.held = append(r.held, p...)
	cut := r.whole()
	if cut == 0 {
		return len(p), nil
	}
	_, err := r.to.Write(r.redact(r.held[:cut]))
	r.held = append(r.held[:0], r.held[cut:]...)
	return len(p), err
}

// whole returns how many held bytes are followed by a blank, a line end or another control
// character, where no secret continues.
func (r *Redactor) whole() int {
	cut := len(r.held)
	for cut > 0 && r.held[cut-1] > ' ' && r.held[cut-1] != 0x7f {
		cut--
	}
	if len(r.held)-cut > longestHeld {
		return len(r.held)
	}
	return cut
}

func (r *Redactor) redact(p []byte) []byte {
	for _, secret := range r.secrets {
		if bytes.Contains(p, secret) {
			p = bytes.ReplaceAll(p, secret, []byte(hidden))
		}
	}
	return redactKeys(p)
}

func redactKeys(p []byte) []byte {
	var out []byte
	kept := 0 // how much of p is in out
	for i := 0; i < len(p); i++ {
		if i > 0 && inWord(p[i-1]) || !beginsKey(p[i:]) {
			continue
		}
		if m := keys.FindIndex(p[i:]); m != nil {
			out = append(append(out, p[kept:i]...), hidden...)
			kept = i + m[1]
			i = kept - 1
		}
	}
	if out == nil {
		return p
	}
	return append(out, p[kept:]...)
}

func beginsKey(p []byte) bool {
	switch p[0] {
	case 's', 'g', 'A', 'x', 'n', 'e':
	default:
		return false
	}
	return slices.ContainsFunc(keyPrefixes, func(b string) bool { return len(p) > len(b) && string(p[:len(b)]) == b })
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Close writes what was held back, and closes the writer below.
func (r *Redactor) Close() error {
	_, err := r.to.Write(r.redact(r.held))
	r.held = nil
	if closing := r.to.Close(); err == nil {
		err = closing
	}
	return err
}
