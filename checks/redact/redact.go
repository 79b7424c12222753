// Package redact removes secrets from programs' output before it is logged, recorded or
// shown.
//
// [New] returns a writer for the output of one program, [RemoveSecrets] redacts a whole text. Both
// know three kinds of secrets: values of environment variables, keys of a well-known format, and
// passwords in URLs. What a program encodes, encrypts or prints letter by letter is not
// recognized.
package redact

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"ferrus/ui/text"
	"ferrus/ui/text/lazyregexp"
)

// hidden replaces a secret in a log.
const hidden = "[redacted]"

// shortest is the length up to which an environment value may be an ordinary word, and
// longestHeld is the most bytes held back because they may begin a secret.
const (
	shortest    = 12
	longestHeld = 4 << 10
)

// keys are the shapes of well-known keys, each from the beginning of a word.
var keys = lazyregexp.New(`^(?:` +
	`sk-[A-Za-z0-9_-]{16,}|` +
	`gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}|` +
	`A[KS]IA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|hf_[A-Za-z0-9]{30,}|dckr_pat_[A-Za-z0-9_-]{20,}|` +
	`[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|pypi-[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|` +
	`gl(?:rt|dt|ft|cbt|ptt|soat|oas)-[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|` +
	`whsec_[A-Za-z0-9+/=]{20,}|do[por]_v1_[a-f0-9]{32,}|dapi[a-f0-9]{32}|hv[sbr]\.[A-Za-z0-9_-]{20,}|` +
	`AGE-SECRET-KEY-1[0-9A-Z]{20,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}|lin_api_[A-Za-z0-9]{20,}|` +
	`ntn_[A-Za-z0-9]{20,}|nfp_[A-Za-z0-9]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|AccountKey=[A-Za-z0-9+/=]{40,}|` +
	`xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|npm_[A-Za-z0-9]{30,}|` +
	`eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})`)

// keyPrefixes are how such keys begin, by the first byte, in three bytes or more. The expression is slow, and an agent
// may write more per second than it can match.
var keyPrefixes = [256][]string{
	'A': {"AKIA", "ASIA", "AIza", "AGE-", "AccountKey="}, 'G': {"GOCSPX-"}, 'S': {"SG."},
	'd': {"dckr_", "dop_", "doo_", "dor_", "dapi"}, 'e': {"eyJ"}, 'h': {"hf_", "hvs.", "hvb.", "hvr."},
	'g': {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "glpat-", "glrt-", "gldt-", "glft-", "glcbt-", "glptt-",
		"glsoat-", "gloas-"},
	'l': {"lin_"}, 'n': {"npm_", "ntn_", "nfp_"}, 'p': {"pypi-"}, 'r': {"rk_"},
	's': {"sk-", "sk_", "shpat_", "shpca_", "shppa_", "shpss_"},
	'w': {"whsec_"}, 'x': {"xox", "xapp-"}, 'y': {"ya29."},
}

// passwords finds what stands between the colon and the last @ of a URL's authority.
var passwords = lazyregexp.New(`(://[^\s/?#:@"'<>]*:)([^\s/?#"'<>]+)(@)`)

// assignments finds the values of variables whose names tell, as env prints them, and
// authorizations what HTTP clients print of a request.
var (
	assignments = lazyregexp.New(
		`(\b[A-Z][A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]*=["']?)([^\s"'/$][^\s"']{5,})`)
	authorizations = lazyregexp.New(`(?i)(\b(?:bearer|basic)[ \t]+)([A-Za-z0-9._~+/=-]{16,})`)
	authorizing    = lazyregexp.New(`(?i)\b(?:bearer|basic)[ \t]+$`)
)

// A private key has lines. pemKey matches what is before them, pemBegin how that may begin, and
// pemEnd is behind them; a key has at most pemBytes.
var (
	pemKey   = lazyregexp.New(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)
	pemBegin = []byte("-----BEGIN ")
	pemEnd   = []byte("-----END")
)

const (
	pemBytes     = 16 << 10
	longestBegin = 64
)

// telling are the words in the name of a variable that say that its value is a secret.
var telling = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "KEY", "PAT"}

// shortestNamed is the length from which the value of a variable with such a name is one.
const shortestNamed = 6

// Writer passes on everything but secrets. A secret may come in pieces, so it holds back
// the end of what was written; Close writes the rest.
type Writer struct {
	to      io.WriteCloser
	scanner *scanner
	held    []byte
	key     int // bytes that may still belong to a private key that has begun
}

// New returns a writer without the values of an environment that are long enough to be
// secrets, whatever their names are. Paths and the usual names of terminals are not
// secrets.
func New(to io.WriteCloser, environ ...string) *Writer {
	return &Writer{to: to, scanner: newScanner(secretsOf(environ, isLong))}
}

// Named returns a writer without the values of an environment whose names say that they are
// secrets.
func Named(to io.WriteCloser, environ ...string) *Writer {
	return &Writer{to: to, scanner: newScanner(secretsOf(environ, isTelling))}
}

// RemoveSecrets returns a text without the secrets of [New].
func RemoveSecrets(text string, environ ...string) string {
	r := &Writer{scanner: newScanner(secretsOf(environ, isLong))}
	return string(r.redact([]byte(text)))
}

// secretsOf returns the values of an environment that may be secrets, the longest first.
// One of several lines may be printed line by line.
func secretsOf(environ []string, may func(name, value string) bool) (secrets [][]byte) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !isTelling(name, value) && !may(name, value) {
			continue
		}
		secrets = append(secrets, []byte(value))
		if lines := strings.Split(value, "\n"); len(lines) > 1 {
			for _, line := range lines {
				if len(line) > shortest {
					secrets = append(secrets, []byte(line))
				}
			}
		}
	}
	slices.SortFunc(secrets, func(a, b []byte) int { return len(b) - len(a) }) // one may be in another
	return secrets
}

func isLong(name, value string) bool {
	return len(value) > shortest && !strings.HasPrefix(value, "/") && !slices.Contains(harmlessNames, name)
}

// isTelling reports whether the name of a variable says that its value is a secret. A path
// is where a secret is.
func isTelling(name, value string) bool {
	if len(value) < shortestNamed || strings.HasPrefix(value, "/") {
		return false
	}
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(telling, func(t string) bool {
			return word == t || len(t) > 3 && strings.HasSuffix(word, t)
		})
	})
}

// harmlessNames are variables whose values are not secret and appear in ordinary output.
var harmlessNames = []string{
	"TERM", "LANG", "LS_COLORS", "DBUS_SESSION_BUS_ADDRESS", "HOSTNAME", "GOPROXY", "DEBIAN_FRONTEND",
	"USER", "LOGNAME", "FERRUS_TASK", // in paths
}

func (r *Writer) Write(p []byte) (int, error) {
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
func (r *Writer) whole() int {
	cut := len(r.held)
	for cut > 0 && r.held[cut-1] > ' ' && r.held[cut-1] != 0x7f {
		cut--
	}
	if len(r.held)-cut > longestHeld {
		return len(r.held)
	}
	return r.before(cut)
}

// before returns a place at or before cut that is not inside a secret with blanks or lines,
// nor inside the beginning of one.
func (r *Writer) before(cut int) int {
	from := max(0, cut-longestBegin)
	if end := r.held[from:cut]; bytes.Contains(end, pemBegin) {
		at := bytes.LastIndex(end, pemBegin)
		if !bytes.Contains(end[at+len(pemBegin):], pemBegin[:5]) {
			cut = from + at
			from = max(0, cut-longestBegin)
		}
	}
	if m := authorizing.FindIndex(r.held[from:cut]); m != nil {
		cut = from + m[0]
	}
	for _, secret := range r.scanner.secrets {
		if !bytes.ContainsAny(secret, " \t\r\n") {
			continue
		}
		for from := max(0, cut-len(secret)+1); from < cut; from++ {
			rest := r.held[from:]
			if n := min(len(rest), len(secret)); bytes.Equal(rest[:n], secret[:n]) {
				cut = from
			}
		}
	}
	return cut
}

func (r *Writer) redact(p []byte) []byte {
	found := r.scanner.scan(p)
	if found&value != 0 {
		for _, secret := range r.scanner.secrets {
			p = bytes.ReplaceAll(p, secret, []byte(hidden))
		}
	}
	if found&url != 0 {
		p = passwords.ReplaceAll(p, []byte("${1}"+hidden+"${3}"))
	}
	if found&assignment != 0 {
		p = assignments.ReplaceAll(p, []byte("${1}"+hidden))
	}
	if found&authorization != 0 {
		p = authorizations.ReplaceAll(p, []byte("${1}"+hidden))
	}
	if found != 0 { // A key that followed a word may follow what replaced it now.
		p = redactKeys(p)
	}
	if found&privateKey != 0 || r.key > 0 {
		p = r.redactPrivateKeys(p)
	}
	return p
}

// redactPrivateKeys leaves out what is between the first and the last line of a private key.
func (r *Writer) redactPrivateKeys(p []byte) []byte {
	var out []byte
	for len(p) > 0 {
		if r.key > 0 {
			n := bytes.Index(p, pemEnd)
			if n < 0 {
				n = min(len(p), r.key)
				r.key -= n
			} else {
				r.key = 0
			}
			p = p[n:]
			continue
		}
		m := pemKey.FindIndex(p)
		if m == nil {
			return append(out, p...)
		}
		out = append(append(out, p[:m[1]]...), hidden...)
		p, r.key = p[m[1]:], pemBytes
	}
	return out
}

func redactKeys(p []byte) []byte {
	var out []byte
	kept := 0 // how much of p is in out
	for i := 0; i < len(p); i++ {
		if i > 0 && text.IsWordByte[p[i-1]] || !beginsKey(p[i:]) {
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
	for _, b := range keyPrefixes[p[0]] {
		if len(p) > len(b) && p[1] == b[1] && string(p[:len(b)]) == b {
			return true
		}
	}
	return false
}

// Close writes what was held back, and closes the writer below.
func (r *Writer) Close() error {
	_, err := r.to.Write(r.redact(r.held))
	r.held = nil
	if closing := r.to.Close(); err == nil {
		err = closing
	}
	return err
}
