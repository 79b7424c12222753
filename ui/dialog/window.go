package dialog

// window is the part of a list that is shown. It moves no further than the chosen item takes it.
type window struct {
	first int // item that is shown
	top   int // the row of that item inside the dialog
	rows  int // that items have
	items int
}

// show moves the window to the chosen item.
func (w *window) show(chosen, items, top, rows int) {
	w.top, w.rows, w.items = top, max(rows, 1), items
	w.first = max(min(w.first, chosen, items-w.rows), chosen-w.rows+1, 0)
}

// itemAt returns the item in a row of the dialog; -1: there is none.
func (w *window) itemAt(row int) int {
	i := w.first + row - w.top
	if row < w.top || row >= w.top+w.rows || i >= w.items {
		return -1
	}
	return i
}
