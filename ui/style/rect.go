package style

// Rect is a part of the screen, in cells.
type Rect struct{ X, Y, W, H int }

// Area returns the part of the screen at x, y of a width and a height.
func Area(x, y, w, h int) Rect { return Rect{x, y, w, h} }

// Contains reports whether a cell is in the part.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inner returns what a border leaves.
func (r Rect) Inner() Rect { return Rect{r.X + 1, r.Y + 1, max(r.W-2, 0), max(r.H-2, 0)} }

// Centered returns a rectangle of at most w x h in the middle of room.
func Centered(room Rect, w, h int) Rect {
	w, h = min(w, room.W), min(h, room.H)
	return Rect{room.X + (room.W-w)/2, room.Y + (room.H-h)/2, w, h}
}

// Column returns a place for text in the middle of room that is no wider than text is
// read well, and as high as room.
func Column(room Rect) Rect {
	if room.W <= 100 {
		return room
	}
	return Centered(room, min(room.W-4, 100), room.H)
}
