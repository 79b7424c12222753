package merge

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"ferrus/hq/queue"
)

// slowRetry is when a step that has failed is tried again.
const slowRetry = 10 * time.Second

// trouble is why a step of an item that runs commands of yours was not taken.
type trouble struct {
	words string
	until time.Time // it is tried again
}

// postpone requests [Merger.Continue] for an item whose next step runs commands of yours.
func (m *Merger) postpone(n int, next *Next) {
	if m.proves(slowKey(n)) || slices.Contains(next.Slow, n) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.troubles[n]
	if t.words != "" {
		next.Refused[n] = t.words
	}
	if time.Now().Before(t.until) {
		next.pollAt(t.until)
		return
	}
	next.Slow = append(next.Slow, n)
}

// pollAt has the merger asked again at a time, or before.
func (n *Next) pollAt(at time.Time) {
	if !at.IsZero() && (n.PollAt.IsZero() || at.Before(n.PollAt)) {
		n.PollAt = at
	}
}

func slowKey(n int) string { return "slow " + strconv.Itoa(n) }

// Continue takes the step of an item that [Next.Slow] names: it stages approved work, whose commit
// message the hooks of the repository see, or removes the worktree of a landed task, which runs the
// commands of [hq] teardown. What goes wrong is in the next [Next.Refused].
func (m *Merger) Continue(ctx context.Context, n int, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !m.startProof(slowKey(n), 0, cancel) {
		return nil
	}
	defer m.endProof(slowKey(n))
	s, err := m.queue.Load()
	at := s.World.Index(n)
	if err != nil || at < 0 {
		return err
	}
	i, refused := s.World.Items[at], map[int]string{}
	if of := m.toStage(i, o.Auto); of != nil {
		err = m.stageOne(ctx, of, i)
	} else if m.toFinish(i, o) {
		err = m.finishOne(ctx, o, i)
	}
	err = noteTrouble(ctx, err, refused, n)
	after, failed := m.queue.Load()
	at = after.World.Index(n)
	m.noteSlow(n, refused[n], failed == nil && at >= 0 && m.isDue(after.World.Items[at], o))
	return errors.Join(err, failed)
}

func (m *Merger) isDue(i queue.Item, o Options) bool {
	return m.toStage(i, o.Auto) != nil || m.toFinish(i, o)
}

// noteSlow keeps what went wrong with an item. As long as its step is due, it is not tried again at once.
func (m *Merger) noteSlow(n int, words string, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.troubles, n)
	if due {
		m.troubles[n] = trouble{words, time.Now().Add(slowRetry)}
	}
}
