package pager

import (
	"slices"

	"ferrus/ui/keys"
)

// pressReview handles a key for comments, and reports whether it was one.
func (p *Diff) pressReview(m keys.Map, key string) bool {
	if p.writing != nil {
		p.pressInEdit(m, key)
		return true
	}
	a, deleting := m.Action(keys.InDiff, key), p.deleting
	p.deleting = 0
	switch a {
	case ListComments:
		p.listing = !p.listing
	case ShowResolved:
		p.unfolded = !p.unfolded
		p.redraw()
	case EditComment, DeleteComment:
		i := p.draftHere()
		if i < 0 {
			return a == EditComment || p.cursor.on || p.listing
		}
		switch {
		case a == EditComment:
			p.listing = false
			p.editDraft(i)
		case deleting == i+1:
			p.remove(i)
		default:
			p.deleting = i + 1
		}
	default:
		if p.listing {
			return p.pressInList(m, key)
		}
		return p.pressAtCursor(m, key)
	}
	return true
}

func (p *Diff) pressInEdit(m keys.Map, key string) {
	switch m.Action(keys.InComment, key) {
	case keys.Accept:
		p.saveDraft()
	case keys.Cancel:
		p.writing = nil
	case NewLine:
		p.writing.insert("\n")
	default:
		p.writing.press(key)
	}
}

// pressInList does a key in the list of comments.
func (p *Diff) pressInList(m keys.Map, key string) bool {
	if by := m.Scroll(keys.InDiff, key, p.page()); by != 0 {
		p.chosen = max(min(p.chosen+by, len(p.Diff.Comments)-1), 0)
		return true
	}
	switch key {
	case "enter":
		p.listing = false
		if i := slices.IndexFunc(p.refs, func(r rowRef) bool { return r.comment == p.chosen+1 }); i >= 0 {
			p.moveTo(i)
		}
	case "esc", "q":
		p.listing = false
	default:
		return false
	}
	return true
}

// pressAtCursor does a key about the cursor.
func (p *Diff) pressAtCursor(m keys.Map, key string) bool {
	a := m.Action(keys.InDiff, key)
	begins := a == WriteComment || a == ExtendDown || a == ExtendUp
	switch {
	case !p.cursor.on && begins:
		p.startCursor()
	case !p.cursor.on:
		return false
	case a == WriteComment:
		p.write()
	case a == ExtendDown:
		p.moveCursor(+1, true)
	case a == ExtendUp:
		p.moveCursor(-1, true)
	case a == OtherSide:
		p.cursor.old = !p.cursor.old
	case key == "esc":
		p.cursor = cursor{}
	default:
		by := m.Scroll(keys.InDiff, key, p.page())
		if by == 0 {
			return false
		}
		p.moveCursor(by, false)
	}
	return true
}
