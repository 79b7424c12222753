package vt

import "sync"

// Locked is a Terminal that several goroutines may use: one writes what the
// program prints, another draws.
type Locked struct {
	mu       sync.Mutex
	terminal *Terminal // guarded by mu
}

// NewLocked makes a Terminal behind a mutex; see [New].
func NewLocked(columns, rows, scrollback int) *Locked {
	return &Locked{terminal: New(columns, rows, scrollback)}
}

// With runs look with the terminal to itself. Look must not keep it, and must
// not call a method of l.
func (l *Locked) With(look func(*Terminal)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	look(l.terminal)
}

// Write is [Terminal.Write].
func (l *Locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.terminal.Write(p)
}

// Resize is [Terminal.Resize].
func (l *Locked) Resize(columns, rows int) {
	l.With(func(t *Terminal) { t.Resize(columns, rows) })
}

// Snapshot is [Terminal.Snapshot].
func (l *Locked) Snapshot() (b []byte) {
	l.With(func(t *Terminal) { b = t.Snapshot() })
	return b
}

// Replies is [Terminal.Replies].
func (l *Locked) Replies() (b []byte) {
	l.With(func(t *Terminal) { b = t.Replies() })
	return b
}

// Gen is [Terminal.Gen].
func (l *Locked) Gen() (gen uint64) {
	l.With(func(t *Terminal) { gen = t.Gen() })
	return gen
}
