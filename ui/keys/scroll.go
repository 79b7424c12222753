package keys

// The actions that scroll, and choose in lists.
const (
	LineUp   Action = "line-up"
	LineDown Action = "line-down"
	PageUp   Action = "screen-up"
	PageDown Action = "screen-down"
	Top      Action = "top"
	Bottom   Action = "bottom"
	HalfUp   Action = "half-up"
	HalfDown Action = "half-down"
)

// lists are where a line is chosen by moving to it.
const lists = InList | InInbox

// Scrolling holds the keys that scroll, for every place that does. They are the same
// everywhere but where a place needs one of them for something else.
var Scrolling = Map{
	{Action: LineUp, In: Pages | InView | InCopyMode, Keys: []string{"up", "k"},
		Hint: "scroll", Help: "a line up; in a list, the line above"},
	{Action: LineUp, In: lists, Keys: []string{"up", "k", "ctrl+p", "shift+tab"}, Hint: "move", Help: "the line above"},
	{Action: LineDown, In: Pages | InView | InCopyMode, Keys: []string{"down", "j"},
		Hint: "scroll", Help: "a line down; in a list, the line below"},
	{Action: LineDown, In: lists, Keys: []string{"down", "j", "ctrl+n", "tab"}, Hint: "move", Help: "the line below"},
	{Action: PageUp, In: Pages, Keys: []string{"pgup", "b"}, Hint: "scroll", Help: "a screen up"},
	{Action: PageUp, In: InView | InCopyMode | lists | InPalette, Keys: []string{"pgup"}, Help: "a screen up"},
	{Action: PageDown, In: Pages, Keys: []string{"pgdown", "space"}, Hint: "scroll", Help: "a screen down"},
	{Action: PageDown, In: InView | InCopyMode | lists | InPalette, Keys: []string{"pgdown"}, Help: "a screen down"},
	{Action: HalfUp, In: Pages, Keys: []string{"ctrl+u"}, Help: "half a screen up"},
	{Action: HalfDown, In: Pages, Keys: []string{"ctrl+d"}, Help: "half a screen down"},
	{Action: Top, In: Pages, Keys: []string{"home", "g"}, Help: "to the beginning"},
	{Action: Top, In: InView | lists, Keys: []string{"home"}, Help: "to the beginning"},
	{Action: Top, In: InCopyMode, Keys: []string{"g"}, Help: "to the beginning"},
	{Action: Bottom, In: Pages, Keys: []string{"end", "shift+g"}, Help: "to the end"},
	{Action: Bottom, In: InView | lists, Keys: []string{"end"}, Help: "to the end"},
	{Action: Bottom, In: InCopyMode, Keys: []string{"shift+g"}, Help: "to the end"},
}

// Far is more lines than anything has.
const Far = 1 << 30

// Scroll returns by how many lines a key scrolls in a place, down where it is
// positive; page is how many a screen has. It is 0 for a key that does not scroll.
func (m Map) Scroll(in Context, key string, page int) (lines int) {
	switch m.Action(in, key) {
	case LineUp:
		return -1
	case LineDown:
		return +1
	case PageUp:
		return -page
	case PageDown:
		return +page
	case HalfUp:
		return -max(page/2, 1)
	case HalfDown:
		return +max(page/2, 1)
	case Top:
		return -Far
	case Bottom:
		return +Far
	}
	return 0
}
