package ui

import "ferrus/ui/text"

// tell shows the story of an entry over the log, unless the person went elsewhere
// since asking for it.
func (m *Model) tell(msg PageMsg) {
	log, ok := m.dialog.(*logPage)
	if !ok && m.dialog != nil {
		return
	}
	back := dialog(nil)
	if ok {
		back = log
	}
	m.dialog = &page{kind: DialogStory, title: text.Sanitize(msg.Title), sheet: func(*Model) string { return msg.Text }, full: true, back: back}
}
