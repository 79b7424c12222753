package prompt

import (
	"slices"
	"strconv"
	"strings"

	"ferrus/ui/text"
	"ferrus/ui/view"
)

// files is what a word that begins with @ can be completed to. The last result is kept,
// because frames are drawn far more often than something is typed.
type files struct {
	at     int         // the choice that Enter takes
	looked bool        // the files were asked for, for the word at the cursor
	word   string      // what found is for
	list   *view.Files // the same
	within []int       // the paths of list that have the letters of word
	found  []Choice    // slots, and the best of the paths
}

// maxFiles bounds the files that are shown.
const maxFiles = 50

// atWord returns the word behind an @ that ends at the cursor, and where the @ is in the text.
// What is quoted is one word.
func (p *Model) atWord() (word string, begin int, ok bool) {
	if !strings.Contains(p.text, "@") {
		return "", 0, false
	}
	end := p.offset()
	if end < len(p.text) && p.text[end] != ' ' && p.text[end] != '\n' {
		return "", 0, false
	}
	begin = strings.LastIndexAny(p.text[:end], " \n") + 1
	if quoted := strings.LastIndex(p.text[:end], `@"`); quoted >= 0 && !strings.Contains(p.text[quoted+2:end], `"`) &&
		(quoted == 0 || strings.ContainsRune(" \n", rune(p.text[quoted-1]))) {
		begin = quoted
	}
	word, ok = strings.CutPrefix(p.text[begin:end], "@")
	return word, begin, ok
}

// atChoices returns what the word at the cursor can be completed to: slots, then files.
func (p *Model) atChoices(v *view.View) []Choice {
	word, begin, ok := p.atWord()
	if !ok {
		return nil
	}
	f := &p.files
	key := word
	if begin == 0 && p.answers() == nil {
		key = "@" + word // slots, too
	}
	if f.found == nil || f.word != key || f.list != v.Files {
		f.search(key, strings.TrimPrefix(word, `"`), v.Files)
		f.found = []Choice{}
		if key != word {
			f.found = p.slotChoices(word)
		}
		for _, i := range f.best(strings.TrimPrefix(word, `"`)) {
			path := v.Files.Paths[i]
			f.found = append(f.found, Choice{Line: p.reference(path), Name: text.Sanitize(path)})
		}
		f.at = 0
	}
	if len(f.found) == 1 && strings.TrimSpace(f.found[0].Line) == "@"+word {
		return nil // it is typed
	}
	return f.found
}

// slotChoices returns the agents whose names begin as typed.
func (p *Model) slotChoices(word string) (all []Choice) {
	for _, name := range p.talk.names {
		if strings.HasPrefix(name, word) && name != word {
			all = append(all, Choice{Line: "@" + name + " ", Name: "@" + name, Help: "send this text to the " + name})
		}
	}
	return all
}

// reference returns how a text names a file.
func (p *Model) reference(path string) string {
	switch {
	case strings.ContainsAny(path, " \"'\\"):
		return "@" + strconv.Quote(path) + " "
	case !strings.ContainsAny(path, "/.") && slices.Contains(p.talk.names, path):
		return "@./" + path + " "
	}
	return "@" + path + " "
}

// search finds the paths that have the letters of a word in their order. A longer word is
// searched for in what had the shorter one.
func (f *files) search(key, letters string, list *view.Files) {
	narrower := f.list == list && f.word != "" && strings.HasPrefix(key, f.word)
	before := f.within
	f.word, f.list, f.within = key, list, nil
	if list == nil {
		return
	}
	if !narrower {
		for i := range list.Paths {
			if hasLetters(list.Paths[i], letters) {
				f.within = append(f.within, i)
			}
		}
		return
	}
	for _, i := range before {
		if hasLetters(list.Paths[i], letters) {
			f.within = append(f.within, i)
		}
	}
}

// hasLetters reports whether a path has the bytes of a word in their order. Case does not
// count.
func hasLetters(path, word string) bool {
	at := 0
	for i := 0; i < len(path) && at < len(word); i++ {
		if lower(path[i]) == lower(word[at]) {
			at++
		}
	}
	return at == len(word)
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + ('a' - 'A')
	}
	return b
}

// best returns the paths that fit a word best, the best first, and at most maxFiles: the name
// counts more than the directory, and a beginning more than letters.
func (f *files) best(word string) (all []int) {
	var ranks [5][]int
	for _, i := range f.within {
		if len(ranks[0]) == maxFiles {
			break
		}
		rank := rankOf(f.list.Paths[i], word)
		if len(ranks[rank]) < maxFiles {
			ranks[rank] = append(ranks[rank], i)
		}
	}
	for _, some := range ranks {
		all = append(all, some[:min(len(some), maxFiles-len(all))]...)
	}
	return all
}

func rankOf(path, word string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case hasPrefixFold(path, word), hasPrefixFold(name, word):
		return 0
	case containsFold(name, word):
		return 1
	case containsFold(path, word):
		return 2
	case hasLetters(name, word):
		return 3
	}
	return 4
}

func hasPrefixFold(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[:len(word)], word)
}

func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if word == "" || lower(s[i]) == lower(word[0]) && hasPrefixFold(s[i:], word) {
			return true
		}
	}
	return false
}

// Chooses reports whether Enter takes a slot or a file for the word at the cursor.
func (p *Model) Chooses(v *view.View) bool { return len(p.atChoices(v)) > 0 }

// takeAt puts the chosen slot or file in the place of the word at the cursor, and reports
// whether there was one to take.
func (p *Model) takeAt(v *view.View) bool {
	all := p.atChoices(v)
	if len(all) == 0 {
		return false
	}
	_, begin, _ := p.atWord()
	end, taken := p.offset(), all[min(p.files.at, len(all)-1)].Line
	rest := strings.TrimPrefix(p.text[end:], " ")
	if len(p.text)-(end-begin)+len(taken) > MaxText {
		return false
	}
	at := len([]rune(p.text[:begin] + taken))
	p.set(p.text[:begin] + taken + rest)
	p.moveTo(at)
	return true
}

// moveAt chooses another of the slots and files, and reports whether there are some.
func (p *Model) moveAt(v *view.View, by int) bool {
	n := len(p.atChoices(v))
	if n > 0 {
		p.files.at = (p.files.at + by + n) % n
	}
	return n > 0
}
