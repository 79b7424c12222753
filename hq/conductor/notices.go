package conductor

import (
	"fmt"
	"time"
)

// noticesKept is how many notices the screen gets.
const noticesKept = 100

// notices are sentences for the human, oldest first.
type notices struct{ all []Notice }

func (n *notices) add(isError bool, format string, args ...any) {
	n.all = append(n.all, Notice{At: time.Now(), Text: fmt.Sprintf(format, args...), Error: isError})
	if extra := len(n.all) - noticesKept; extra > 0 {
		n.all = append([]Notice(nil), n.all[extra:]...)
	}
}

// once shows a problem unless it is the newest notice already.
func (n *notices) once(text string) {
	if last := len(n.all) - 1; last >= 0 && n.all[last].Text == text {
		return
	}
	n.add(true, "%s", text)
}

// onceIf shows an error, if it is one.
func (n *notices) onceIf(err error) {
	if err != nil {
		n.once(err.Error())
	}
}
