package merge

import (
	"context"
	"fmt"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// decidePull carries out what you decided about a pull request. Again, resume and /land have the approved work
// pushed and a pull request open once more; accept counts work as landed that was merged with a difference.
func decidePull(ctx context.Context, q *queue.Queue, by core.Actor, i queue.Item, d Decision) error {
	held := *i.Pull
	same := func(change func(*queue.Item) string) func(*queue.Item) (string, error) {
		return func(i *queue.Item) (string, error) {
			if !i.ByPull() || i.Pull == nil || i.Pull.Held != held.Held || !i.Pull.At.Equal(held.At) {
				return "", queue.ErrMovedOn
			}
			return change(i), nil
		}
	}
	if d != Accept {
		return q.NotePull(ctx, by, i.N, "pull_decided", nil, same(func(i *queue.Item) string {
			i.Pull.Again()
			return fmt.Sprintf("the human decides: %s", d)
		}))
	}
	if held.Held != queue.PullDiffers {
		return &land.RefusedError{
			What: "accept applies only to a pull request that was merged with differences, and " + held.Why,
			Fix:  "ferrus merge again tries again"}
	}
	change := same(func(i *queue.Item) string {
		i.Landed, i.LandedAt, i.Why = held.Other, time.Now().UTC().Truncate(time.Millisecond), ""
		i.Pull.Step, i.Pull.Why, i.Pull.Held, i.Pull.Away = queue.PullIdle, "", queue.PullNotHeld, true
		return fmt.Sprintf("pull request %s at %.12s, by the human's decision", i.Pull.ID, held.Other)
	})
	return q.StepPull(ctx, project.FerrusActor(), i.N, landedByPull(), "pull_landed", nil, change)
}
