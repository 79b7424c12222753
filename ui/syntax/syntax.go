// Package syntax divides lines of source code into the few kinds of tokens that the
// screen colors.
//
// Get the [Language] of a file with [Of] and pass its lines to [Language.Tokenize] in
// order, each with the [State] after the previous one. It knows keywords, strings,
// numbers and comments, but no grammar: whatever it is unsure of is plain. The time is
// linear in the length of a line, and a line can be any bytes.
package syntax

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a piece of a line is.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota
	Keyword
	Text // a string or a character
	Number
	Comment
	Name // of a type or a constant, where a language writes them large; a key of a table
)

// Piece is a part of a line. The pieces of a line joined are the line.
type Piece struct {
	Text string
	Kind Kind
}

// State is what a line leaves open: the number of a delimiter of its language
// plus 1; 0 is nothing.
type State uint8

// fence is what may go over several lines, or ends with its own.
type fence struct {
	begin, end string
	kind       Kind
	lines      bool // it may go over several
	raw        bool // a backslash means itself
}

// Language is how the text of a language is divided.
type Language struct {
	fences   []fence // longer beginnings first
	comments []string
	words    func() map[string]bool // nil: it has no keywords
	folded   bool                   // words are written in any case
	keys     bool                   // name: value, or name = value
	markup   bool                   // words are keywords only behind a < or </
}

func (l *Language) isKeyword(word string) bool { return l.words != nil && l.words()[word] }

// Of returns the language of a file by its name; nil: it is unknown, and all plain.
func Of(name string) *Language {
	base := strings.ToLower(path.Base(name))
	if l := byName[base]; l != nil {
		return l
	}
	return byEnd[strings.TrimPrefix(path.Ext(base), ".")]
}

// Called returns the language that a fence of Markdown names; nil: it is unknown.
func Called(name string) *Language {
	name = strings.ToLower(name)
	if l := byEnd[name]; l != nil {
		return l
	}
	return called[name]
}

// Tokenize divides a line, and says what it leaves open.
func (l *Language) Tokenize(line string, open State) ([]Piece, State) {
	if l == nil {
		return []Piece{{line, Plain}}, 0
	}
	s := scan{language: l, line: line, key: l.keys}
	if open > 0 && int(open) <= len(l.fences) {
		if !s.close(0, open) {
			return s.pieces, open
		}
	}
	for s.at < len(line) {
		if left := s.step(); left > 0 {
			return s.pieces, left
		}
	}
	s.flush()
	return s.pieces, 0
}

// scan is one line while it is divided.
type scan struct {
	language *Language
	line     string
	from, at int // what is between is plain and not a piece yet
	key      bool
	pieces   []Piece
}

// step takes what begins here, and returns what it leaves open at the line's end.
func (s *scan) step() State {
	rest := s.line[s.at:]
	for _, c := range s.language.comments {
		if strings.HasPrefix(rest, c) && (c != "#" || s.at == 0 || s.line[s.at-1] == ' ' || s.line[s.at-1] == '\t') {
			s.put(len(rest), Comment)
			return 0
		}
	}
	for i, f := range s.language.fences {
		if strings.HasPrefix(rest, f.begin) {
			s.flush()
			s.key = false
			if !s.close(len(f.begin), State(i+1)) && f.lines {
				return State(i + 1)
			}
			return 0
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsDigit(r) && !s.inWord():
		s.put(length(rest, func(r rune) bool {
			return r == '.' || r == '_' || unicode.IsDigit(r) || unicode.IsLetter(r) && r < utf8.RuneSelf
		}), Number)
	case letter(r):
		s.word(rest)
	default:
		if r != ' ' && r != '\t' && r != '-' {
			s.key = false
		}
		s.at += size
	}
	return 0
}

// word classifies the word that rest starts with: key, keyword, name or call.
func (s *scan) word(rest string) {
	more := letterOrDigit
	if s.key {
		more = func(r rune) bool { return letterOrDigit(r) || r == '-' || r == '.' }
	}
	n := length(rest, more)
	word := rest[:n]
	if s.language.folded {
		word = strings.ToLower(word)
	}
	switch after := strings.TrimLeft(rest[n:], " "); {
	case s.language.markup:
		s.put(n, map[bool]Kind{true: Keyword, false: Plain}[s.behind('<') || s.behind('/')])
	case s.key && (strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=")):
		s.put(n, Name)
	case s.language.isKeyword(word):
		s.put(n, Keyword)
	case !s.language.folded && !s.language.keys && large(word):
		s.put(n, Name)
	default:
		s.at += n
	}
	s.key = false
}

func (s *scan) behind(c byte) bool { return s.at > 0 && s.line[s.at-1] == c }

// close takes what is left of a fence from after its beginning, and reports
// whether it ended.
func (s *scan) close(begun int, open State) bool {
	f := s.language.fences[open-1]
	for i := s.at + begun; i < len(s.line); i++ {
		switch {
		case !f.raw && s.line[i] == '\\':
			i++
		case strings.HasPrefix(s.line[i:], f.end):
			s.put(i+len(f.end)-s.at, f.kind)
			return true
		}
	}
	if begun > 0 && !f.lines && f.begin == "'" { // an apostrophe, or a lifetime
		s.at += begun
		return true
	}
	s.put(len(s.line)-s.at, f.kind)
	return false
}

// put ends what was plain and adds a piece.
func (s *scan) put(n int, k Kind) {
	s.flush()
	if n > 0 {
		s.pieces = append(s.pieces, Piece{s.line[s.at : s.at+n], k})
	}
	s.at += n
	s.from = s.at
}

func (s *scan) flush() {
	if s.at > s.from {
		s.pieces = append(s.pieces, Piece{s.line[s.from:s.at], Plain})
	}
	s.from = s.at
}

func (s *scan) inWord() bool {
	r, _ := utf8.DecodeLastRuneInString(s.line[:s.at])
	return s.at > s.from && letterOrDigit(r)
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func letterOrDigit(r rune) bool { return letter(r) || unicode.IsDigit(r) }

// large reports a word that begins with a capital, as types do.
func large(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// length returns how many bytes of a text fit a rule; the first always does.
func length(text string, fits func(rune) bool) int {
	for i, r := range text {
		if i > 0 && !fits(r) {
			return i
		}
	}
	return len(text)
}
