package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"ferrus/checks"
	"ferrus/hq/gate"
	"ferrus/hq/wire"
)

// setup runs the commands that prepare the workspace of a task, once, and sends what they print.
// They end with the stream.
func (h *home) setup(ctx context.Context, q wire.Setup, s wire.Stream) error {
	dir, err := h.workspace(q.Task)
	if err != nil {
		return err
	}
	one, _ := h.setups.LoadOrStore(q.Task.Task, &sync.Mutex{})
	lock := one.(*sync.Mutex)
	lock.Lock()
	defer lock.Unlock()
	data, err := json.Marshal(q.Definition)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if known, err := h.claim(q.Task, nil); err != nil || known.Setup == hash {
		return err
	}
	t, err := h.project.MakeTask(ctx, q.Task.Task)
	if err == nil {
		err = gate.KillSetup(t) // of a worker that died
	}
	if err == nil {
		err = gate.Setup(ctx, t, q.Task.Task, dir, q.Definition, func(p checks.Progress) { sendLine(ctx, s, p) })
	}
	if err == nil {
		err = ctx.Err() // it was cancelled
	}
	if err == nil {
		_, err = h.claim(q.Task, func(a *attempt) { a.Setup = hash })
	}
	return err
}

// sendLine sends a line that a command has printed. A stream that is gone ends the commands by its context.
func sendLine(ctx context.Context, s wire.Stream, p checks.Progress) {
	if p.Done == nil && p.Line != "" {
		_ = s.Send(ctx, []byte(p.Line)[:min(len(p.Line), wire.MaxMessage)])
	}
}
