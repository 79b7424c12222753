package tui

import (
	"errors"
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// ownTicks makes the loop that draws a program's frames wait for the returned channel instead
// of a ticker of 120 Hz, which wakes an idle HQ and delays an echo by half its period. Call it
// before the program runs.
//
// Bubble Tea has no option for this (charmbracelet/bubbletea#1363): its Run takes over a ticker
// that is there, so it gets one whose channel is ours. The timer behind that ticker has a channel
// that no goroutine waits on, which the runtime never arms. The error says that this version of
// Bubble Tea has another loop; its own ticker does the work then.
func ownTicks(p *tea.Program) (chan<- time.Time, error) {
	field, ok := reflect.TypeFor[tea.Program]().FieldByName("ticker")
	if !ok || field.Type != reflect.TypeFor[*time.Ticker]() {
		return nil, errors.New("this Bubble Tea has another frame loop")
	}
	at := (**time.Ticker)(unsafe.Add(unsafe.Pointer(p), field.Offset))
	if *at != nil {
		return nil, errors.New("the program runs already")
	}
	ticks := make(chan time.Time, 1)
	ticker := time.NewTicker(time.Hour)
	ticker.C = ticks
	*at = ticker
	return ticks, nil
}
