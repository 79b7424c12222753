package store

import (
	"context"
	"errors"
	"testing"
)

// transaction counts the calls of its functions, and lets others change the state while it gathers.
type transaction struct {
	gathered, decided, dropped int
	meddle                     int // how often another update comes while it gathers
}

func (c *transaction) of(t *testing.T, d *Dir[world], bound bool, decide func(*Tx[world]) error) Transaction[world] {
	return Transaction[world]{
		Gather: func(s State[world]) (bool, error) {
			if c.gathered++; c.meddle > 0 {
				c.meddle--
				update(t, d, Call{}, step)
			}
			return bound, nil
		},
		Decide: func(tx *Tx[world]) error { c.decided++; return decide(tx) },
		Drop:   func() error { c.dropped++; return nil },
	}
}

func TestTransactGathersAgainWhenTheStateMoved(t *testing.T) {
	t.Parallel()
	no := errors.New("no")
	for name, c := range map[string]struct {
		transaction
		bound  bool
		decide func(*Tx[world]) error
		want   transaction
		err    error
		n      int
	}{
		"at rest": {bound: true, decide: step, want: transaction{gathered: 1, decided: 1}, n: 1},
		"moved once": {transaction: transaction{meddle: 1}, bound: true, decide: step,
			want: transaction{gathered: 2, decided: 1, dropped: 1}, n: 2},
		"moved and unbound": {transaction: transaction{meddle: 1}, decide: step,
			want: transaction{gathered: 1, decided: 1}, n: 2},
		"never at rest": {transaction: transaction{meddle: 9}, bound: true, decide: step,
			want: transaction{gathered: 3, dropped: 3, meddle: 6}, err: ErrStale, n: 3},
		"never enough": {decide: func(*Tx[world]) error {
			return ErrStale
		}, want: transaction{gathered: 3, decided: 3, dropped: 3}, err: ErrStale},
		"refused": {bound: true, decide: func(*Tx[world]) error {
			return no
		}, want: transaction{gathered: 1, decided: 1, dropped: 1}, err: no},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := newStore(t)
			seen := c.transaction
			_, err := d.Transact(context.Background(), Call{}, seen.of(t, d, c.bound, c.decide))
			if !errors.Is(err, c.err) || seen != c.want {
				t.Errorf("%+v and %v, want %+v and %v", seen, err, c.want, c.err)
			}
			if s, err := d.Load(); err != nil || s.World.N != c.n {
				t.Errorf("the state counts %d, want %d, %v", s.World.N, c.n, err)
			}
		})
	}
}

func TestTransactDropsWhatAReplayDoesNotNeed(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	var c transaction
	decide := func(tx *Tx[world]) error { tx.SetResult(tx.Seq); return step(tx) }
	call := Call{Key: "the same"}
	for range 2 {
		if out, err := d.Transact(context.Background(), call, c.of(t, d, true, decide)); err != nil ||
			string(out.Result) != "1" {
			t.Errorf("%s, %v", out.Result, err)
		}
	}
	if c != (transaction{gathered: 2, decided: 1, dropped: 1}) {
		t.Errorf("c is %v, want %v", c, (transaction{gathered: 2, decided: 1, dropped: 1}))
	}
}

func TestTransactDecidesNothingWithoutFacts(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	no := errors.New("no")
	_, err := d.Transact(context.Background(), Call{}, Transaction[world]{
		Gather: func(State[world]) (bool, error) { return false, no },
		Decide: func(*Tx[world]) error { t.Error("decided"); return nil },
		Drop:   func() error { t.Error("dropped"); return nil },
	})
	if !errors.Is(err, no) {
		t.Error(err)
	}
}
