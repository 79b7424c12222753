// Package lazyregexp compiles regular expressions when they are first used, as Go's own
// internal/lazyregexp does: most runs of ferrus use few of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression with the methods of [regexp.Regexp] that ferrus needs. It
// panics on its first use if it does not compile. Several goroutines may use it.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New returns a regular expression in the syntax of package regexp. It is small enough for the
// compiler to make a package's variables of it without code that runs at the start.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(r.compile)
	return r.re
}

func (r *Regexp) compile() { r.re = regexp.MustCompile(r.expr) }

func (r *Regexp) MatchString(s string) bool            { return r.compiled().MatchString(s) }
func (r *Regexp) FindStringIndex(s string) []int       { return r.compiled().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

func (r *Regexp) FindIndex(b []byte) []int           { return r.compiled().FindIndex(b) }
func (r *Regexp) ReplaceAll(src, repl []byte) []byte { return r.compiled().ReplaceAll(src, repl) }

func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) ReplaceAllString(s, repl string) string {
	return r.compiled().ReplaceAllString(s, repl)
}

func (r *Regexp) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, repl)
}

func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}
