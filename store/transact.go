package store

import (
	"context"
	"errors"
)

// attempts is how often a transaction is tried before it gives up with ErrStale.
const attempts = 3

// Transaction is a change that is decided on facts which take too long to gather under
// the lock: the hash of a tree, the output of a program.
type Transaction[T any] struct {
	// Gather reads the facts for a state, without the lock. Bound reports that they are
	// valid for that state only, so that Decide is not called in another one.
	Gather func(State[T]) (bound bool, err error)
	// Decide is the function of [Dir.Update]. It returns [ErrStale] to have the facts
	// gathered again, if this state needs some that Gather did not read.
	Decide func(*Tx[T]) error
	// Drop undoes what Gather made; it is called after each attempt in which Gather
	// succeeded and nothing was committed. nil: Gather makes nothing.
	Drop func() error
}

// Transact gathers facts and commits what is decided on them. If the state changes in
// between it starts again; after three attempts the error is [ErrStale]. Any other error
// of the functions is returned unchanged, and the state has not changed.
func (d *Dir[T]) Transact(ctx context.Context, call Call, t Transaction[T]) (out UpdateResult[T], err error) {
	err = Retry(func() (err error) {
		out, err = d.attempt(ctx, call, t)
		return err
	})
	return out, err
}

// Retry calls f until it returns another error than [ErrStale], three times at most.
func Retry(f func() error) (err error) {
	for range attempts {
		if err = f(); !errors.Is(err, ErrStale) {
			return err
		}
	}
	return err
}

// attempt gathers once and decides once. A replayed call has committed nothing, so what
// Gather made is dropped.
func (d *Dir[T]) attempt(ctx context.Context, call Call, t Transaction[T]) (UpdateResult[T], error) {
	seen, err := d.Load()
	if err != nil {
		return UpdateResult[T]{}, err
	}
	bound, err := t.Gather(seen)
	if err != nil {
		return UpdateResult[T]{State: seen}, err
	}
	out, err := d.Update(ctx, call, func(tx *Tx[T]) error {
		if bound && tx.Seq != seen.Seq+1 {
			return ErrStale
		}
		return t.Decide(tx)
	})
	if t.Drop != nil && (err != nil || out.Replayed) {
		err = errors.Join(err, t.Drop())
	}
	return out, err
}
