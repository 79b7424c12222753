package serve

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sayAgain is how often a client hears that its call is still in progress.
const sayAgain = 10 * time.Second

// progress tells the client that a call is still running: clients give up on a silent call, some after a
// minute.
type progress struct {
	send func(step float64, message string)

	mu       sync.Mutex // guards the rest
	step     float64
	notified time.Time
	timer    *time.Timer
	over     bool
}

// newProgress starts the notifications, if the client gave a token for them. The caller
// ends them.
func newProgress(ctx context.Context, request *mcp.CallToolRequest) *progress {
	token := request.Params.GetProgressToken()
	if token == nil {
		return &progress{}
	}
	return beginProgress(func(step float64, message string) {
		// A client that cannot be notified any more will end the call itself.
		_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: step,
			Message: message})
	})
}

// beginProgress notifies the client at regular intervals that the call is being worked on, unless
// another notification was sent meanwhile.
func beginProgress(send func(step float64, message string)) *progress {
	p := &progress{send: send, notified: time.Now()}
	p.mu.Lock() // the timer may be due at once
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(sayAgain, p.again)
	return p
}

func (p *progress) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if time.Since(p.notified) >= sayAgain {
		p.say("still working")
	}
	p.timer.Reset(sayAgain)
}

// notify shows progress to the client.
func (p *progress) notify(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say(message)
}

// say is notify for a caller that has the lock.
func (p *progress) say(message string) {
	if p.send == nil || p.over {
		return
	}
	p.step++
	p.notified = time.Now()
	p.send(p.step, message)
}

// end has nothing notified any more.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.timer != nil {
		p.timer.Stop()
	}
}
