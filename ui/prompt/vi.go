package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
)

// vi is the state of the preset vi: the mode, what a command has of its keys so far, and what
// it took last.
type vi struct {
	on, normal bool
	command    []string // the keys of the command that is being typed
	taken      viTaken  // what p puts
	last       viChange // what . repeats
	changing   *viChange
}

// viTaken is what an operator took.
type viTaken struct {
	text  string
	lines bool // whole lines
}

// viChange is a change that can be repeated: its keys, and what was typed after them.
type viChange struct {
	command  []string
	inserted string
	before   string // the text in front of the cursor when insert mode began
}

// UseVi turns the preset vi on or off. It begins in insert mode.
func (p *Model) UseVi(on bool) {
	if on != p.vi.on {
		p.vi = vi{on: on}
		p.fit()
	}
}

// mark shows the mode in front of the prompt.
func (v *vi) mark(t *style.Theme) style.Spans {
	switch {
	case !v.on:
		return nil
	case v.normal:
		return style.Spans{{" NORMAL", t.Strong}}
	}
	return style.Spans{{" INSERT", t.Faint}}
}

// indent returns the width of the mark.
func (v *vi) indent() int {
	if v.on {
		return len(" NORMAL")
	}
	return 0
}

// insertMode leaves the normal mode of vi: what comes next is text.
func (p *Model) insertMode() {
	p.vi.normal, p.vi.command, p.vi.changing = false, nil, nil
}

// pressVi does a key of the preset vi, and reports whether it was one. In insert mode that is
// Esc alone; in normal mode it is every key that types or moves.
func (p *Model) pressVi(msg tea.KeyPressMsg) bool {
	key := msg.Keystroke()
	switch {
	case !p.vi.on:
		return false
	case key == "esc":
		p.normalMode()
		return true
	case !p.vi.normal:
		return false
	}
	if letters := []rune(msg.Text); len(letters) == 1 && msg.Text != " " {
		key = msg.Text
	} else if !strings.Contains(" left right up down home end backspace space ", " "+key+" ") {
		return false
	}
	p.cycle = nil
	p.vi.command = append(p.vi.command, key)
	p.runVi()
	return true
}

// normalMode ends insert mode, or the command that is being typed.
func (p *Model) normalMode() {
	v := p.viText()
	if c := p.vi.changing; c != nil {
		typed, grown := strings.CutPrefix(string(v.all[:v.at]), c.before)
		if grown {
			c.inserted = typed
		}
		p.vi.last, p.vi.changing = *c, nil
	}
	if begin, _ := v.bounds(v.at); !p.vi.normal && v.at > begin {
		v.at--
	}
	p.vi.normal, p.vi.command = true, nil
	v.clamp()
	p.showVi(v)
}

// viText returns the text with the cursor.
func (p *Model) viText() *viText {
	return &viText{all: []rune(p.text), at: len([]rune(p.text[:p.offset()]))}
}

// showVi takes the text and the cursor over.
func (p *Model) showVi(v *viText) {
	if string(v.all) != p.text {
		p.set(string(v.all))
	}
	p.moveTo(v.at)
}

// viCommand is a command of normal mode, as far as it is typed.
type viCommand struct {
	count  int    // 0: none was typed
	op     string // d, c or y; empty: none
	key    string // empty: it is not complete
	letter rune   // for f, t and r
}

// parseVi reads the keys of a command; complete says that nothing is missing.
func parseVi(typed []string) (c viCommand, complete bool) {
	times, number := 1, 0
	for _, key := range typed {
		switch {
		case c.key != "": // it waits for a letter
			if letters := []rune(key); len(letters) == 1 {
				c.letter = letters[0]
			} else if key == "space" {
				c.letter = ' '
			}
			return c, true
		case len(key) == 1 && (key >= "1" && key <= "9" || key == "0" && number > 0):
			number = min(number*10+int(key[0]-'0'), 9999)
			continue
		case c.op == "" && strings.Contains("dcy", key):
			c.op = key
			if number > 0 {
				times *= number
				c.count, number = times, 0
			}
			continue
		}
		if number > 0 {
			c.count = times * number
		}
		c.key = key
		if !strings.Contains("ftr", key) {
			return c, true
		}
	}
	return c, false
}

// runVi does the command that was typed, once it is complete.
func (p *Model) runVi() {
	c, complete := parseVi(p.vi.command)
	if !complete {
		return
	}
	typed := p.vi.command
	p.vi.command = nil
	v := p.viText()
	if c.op != "" {
		p.operate(v, c, typed)
		return
	}
	if m, ok := v.move(c.key, c.letter, max(c.count, 1)); ok {
		v.at = m.to
		v.clamp()
		p.showVi(v)
		return
	}
	p.changeVi(v, c, typed)
}

// operate does d, c or y with a motion, or with whole lines.
func (p *Model) operate(v *viText, c viCommand, typed []string) {
	from, to, lines := 0, 0, c.key == c.op
	if lines {
		from, to = v.lines(max(c.count, 1))
	} else {
		key := c.key
		if onWord := v.at < len(v.all) && class(v.all[v.at]) != 0; c.op == "c" && key == "w" && onWord {
			key = "e" // as vi does: the blanks behind the word stay
			if v.at+1 == len(v.all) || class(v.all[v.at+1]) != class(v.all[v.at]) {
				key = "l"
			}
		}
		m, ok := v.move(key, c.letter, max(c.count, 1))
		if !ok {
			return
		}
		from, to = v.span(key, m)
	}
	p.vi.taken = viTaken{string(v.all[from:to]), lines}
	if c.op == "y" {
		v.at = from
		v.clamp()
		p.showVi(v)
		return
	}
	if c.op == "d" && lines { // with the end of the line, or of the previous one
		if to < len(v.all) {
			to++
		} else if from > 0 {
			from--
		}
	}
	v.cut(from, to)
	if c.op == "c" {
		p.beginInsert(v, typed)
		return
	}
	p.changed(v, typed)
}

// changeVi executes a command that is neither an operator nor a motion.
func (p *Model) changeVi(v *viText, c viCommand, typed []string) {
	begin, end := v.bounds(v.at)
	n := max(c.count, 1)
	switch c.key {
	case "x":
		p.vi.taken = viTaken{text: v.cut(v.at, min(v.at+n, end))}
	case "D", "C":
		p.vi.taken = viTaken{text: v.cut(v.at, end)}
		if c.key == "C" {
			p.beginInsert(v, typed)
			return
		}
	case "r":
		if v.at+n > end {
			return
		}
		v.cut(v.at, v.at+n)
		v.put(v.at, strings.Repeat(string(c.letter), n))
	case "p", "P":
		p.putVi(v, c.key == "p", n)
	case "u":
		for range n {
			p.undoLast()
		}
		v = p.viText()
		v.clamp()
		p.showVi(v)
		return
	case ".":
		p.repeatVi()
		return
	case "j", "down", "k", "up":
		p.lineVi(v, c.key == "j" || c.key == "down")
		return
	default:
		p.openInsert(v, c.key, begin, end, typed)
		return
	}
	p.changed(v, typed)
}

// openInsert does a key that begins insert mode. Others do nothing, except that / on an empty
// prompt begins a command.
func (p *Model) openInsert(v *viText, key string, begin, end int, typed []string) {
	switch key {
	case "i":
	case "a":
		v.at = min(v.at+1, end)
	case "I":
		m, _ := v.move("^", 0, 1)
		v.at = m.to
	case "A":
		v.at = end
	case "o":
		v.put(end, "\n")
		v.at = end + 1
	case "O":
		v.put(begin, "\n")
		v.at = begin
	case "/":
		if len(v.all) > 0 {
			return
		}
		v.put(0, "/")
		v.at = 1
	default:
		return
	}
	p.beginInsert(v, typed)
}

// beginInsert shows the text and takes what comes as text.
func (p *Model) beginInsert(v *viText, typed []string) {
	p.showVi(v)
	p.vi.normal = false
	p.vi.changing = &viChange{command: typed, before: string(v.all[:v.at])}
}

// changed shows a text that a command changed, which . repeats.
func (p *Model) changed(v *viText, typed []string) {
	p.vi.last = viChange{command: typed}
	v.clamp()
	p.showVi(v)
}

// putVi puts what was taken last behind the cursor, or in front of it.
func (p *Model) putVi(v *viText, behind bool, count int) {
	text := strings.Repeat(p.vi.taken.text, count)
	begin, end := v.bounds(v.at)
	if len(p.text)+len(text)+count > MaxText {
		return
	}
	switch lines := p.vi.taken.lines; {
	case lines && behind:
		v.put(end, strings.Repeat("\n"+p.vi.taken.text, count))
		v.at = end + 1
	case lines:
		v.put(begin, strings.Repeat(p.vi.taken.text+"\n", count))
		v.at = begin
	case text == "":
	case behind:
		v.put(min(v.at+1, end), text)
	default:
		v.put(v.at, text)
	}
}

// repeatVi does the last change again.
func (p *Model) repeatVi() {
	last := p.vi.last
	if len(last.command) == 0 {
		return
	}
	p.vi.command = last.command
	p.runVi()
	if c := p.vi.changing; c != nil {
		p.insert(last.inserted)
		p.normalMode()
	}
	p.vi.last = last
}

// lineVi moves to another line, or in the history.
func (p *Model) lineVi(v *viText, down bool) {
	begin, end := v.bounds(v.at)
	column := v.at - begin
	switch {
	case down && end == len(v.all):
		p.recall(+1)
	case !down && begin == 0:
		p.recall(-1)
	case down:
		_, next := v.bounds(end + 1)
		v.at = min(end+1+column, next)
	default:
		first, _ := v.bounds(begin - 1)
		v.at = min(first+column, begin-1)
	}
	if string(v.all) != p.text {
		v = p.viText()
	}
	v.clamp()
	p.showVi(v)
}
