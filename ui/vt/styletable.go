package vt

const (
	maxStyles   = 1 << 14
	maxClusters = 1 << 14
	maxLinks    = 1 << 10
	maxLinkSize = 2048
)

// styleTable holds what cells refer to by number.
type styleTable struct {
	styles   table[Style]
	sgr      []string // of the style with that number, made when first needed
	clusters table[string]
	links    table[string]
	sweep    func() // forgets what no cell refers to
	pinned   bool   // cells that refer to it are not in the grid yet: nothing may be swept

	recent [16]recentStyle // programs alternate between few styles, which this finds without the map
}

// recentStyle is a style that was used recently, with its number.
type recentStyle struct {
	style  Style
	number uint32
}

// recentIndex returns the place of a style in recent.
func (s Style) recentIndex() int {
	n := uint32(s.FG) ^ uint32(s.BG)<<1 ^ uint32(s.Attr)
	return int((n ^ n>>4 ^ n>>12 ^ n>>20) & 15)
}

func newStyleTable() styleTable {
	return styleTable{
		styles:   newTable[Style](maxStyles),
		clusters: newTable[string](maxClusters),
		links:    newTable[string](maxLinks),
	}
}

// styleSGR returns the sequence that selects a style from any other.
func (k *styleTable) styleSGR(n uint32) string {
	for int(n) >= len(k.sgr) {
		k.sgr = append(k.sgr, "")
	}
	if k.sgr[n] == "" {
		k.sgr[n] = string(appendSGR(nil, k.styles.values[n]))
	}
	return k.sgr[n]
}

// styleNumber returns the number of a style, or the default style's when there is no
// room even after a sweep.
func (k *styleTable) styleNumber(s Style) uint32 {
	recent := &k.recent[s.recentIndex()]
	if recent.style == s {
		return recent.number
	}
	n := k.findStyle(s)
	if n != 0 { // else there was no room, or it is the default
		*recent = recentStyle{s, n}
	}
	return n
}

func (k *styleTable) findStyle(s Style) uint32 {
	n, ok := k.styles.number(s)
	if !ok && k.styles.due() {
		k.sweep()
		n, _ = k.styles.number(s)
	}
	return n
}

// clusterNumber returns the number of a cluster; ok is false when there is no room.
func (k *styleTable) clusterNumber(text string) (n uint32, ok bool) {
	n, ok = k.clusters.number(text)
	if !ok && k.clusters.due() {
		k.sweep()
		n, ok = k.clusters.number(text)
	}
	return n, ok
}

// linkNumber returns the number of a link; 0, which is no link, when there is no room.
func (k *styleTable) linkNumber(target string) uint16 {
	if len(target) > maxLinkSize {
		return 0
	}
	n, ok := k.links.number(target)
	if !ok && k.links.due() {
		k.sweep()
		n, _ = k.links.number(target)
	}
	return uint16(n)
}

// sweep forgets styles, clusters and links that no cell refers to. Scrollback
// is text and refers to nothing.
func (t *Terminal) sweep() {
	if t.tables.pinned {
		return
	}
	k := &t.tables
	styles, clusters := make([]bool, len(k.styles.values)), make([]bool, len(k.clusters.values))
	t.visitRows(func(r *row) {
		for _, c := range r.cells {
			styles[c.style] = true
			if c.content&clusterFlag != 0 {
				clusters[c.content&contentMask] = true
			}
		}
	})
	styles[t.pen.number], styles[t.erased.style] = true, true
	links := make([]bool, len(k.links.values))
	for n, live := range styles {
		if live {
			links[k.styles.values[n].Link] = true
		} else if n < len(k.sgr) {
			k.sgr[n] = ""
		}
	}
	links[t.registers.saved.style.Link], links[t.registers.main.style.Link] = true, true
	links[t.pen.style.Link] = true
	k.styles.sweep(styles)
	k.recent = [16]recentStyle{}
	k.clusters.sweep(clusters)
	k.links.sweep(links)
}

// visitRows calls visit for every row whose cells may be drawn.
func (t *Terminal) visitRows(visit func(*row)) {
	for i := range t.screens {
		for _, r := range t.screens[i].rows {
			visit(r)
		}
	}
	for i := range t.sync.rows {
		visit(&t.sync.rows[i])
	}
}
