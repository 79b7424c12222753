package conductor

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// noticesKept is the number of notices that are kept for the screen.
const noticesKept = 100

// notices are sentences for the human, oldest first. The loop owns them.
type notices struct {
	all []Notice
	log *slog.Logger // nil: no debug log
}

func (n *notices) add(isError bool, format string, args ...any) {
	n.put(Notice{At: time.Now(), Text: fmt.Sprintf(format, args...), Error: isError})
}

// addBy adds what a human did at the terminal by, for the humans at other terminals.
func (n *notices) addBy(by, text string) { n.put(Notice{At: time.Now(), Text: text, By: by}) }

// noticeNumber is the number of the newest notice.
var noticeNumber atomic.Int64

func (n *notices) put(newest Notice) {
	newest.Number = noticeNumber.Add(1)
	n.all = append(n.all, newest)
	if n.log != nil {
		n.log.Info("notice", "error", newest.Error, "text", newest.Text)
	}
	if extra := len(n.all) - noticesKept; extra > 0 {
		n.all = append([]Notice(nil), n.all[extra:]...)
	}
}

// addOnce adds a problem, unless it is the newest notice already.
func (n *notices) addOnce(text string) {
	if last := len(n.all) - 1; last >= 0 && n.all[last].Text == text {
		return
	}
	n.add(true, "%s", text)
}

// addErrorOnce adds an error, unless it is nil or the newest notice already.
func (n *notices) addErrorOnce(err error) {
	if err != nil {
		n.addOnce(err.Error())
	}
}
