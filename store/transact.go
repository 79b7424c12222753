package store

import (
	"context"
	"errors"
)

// attempts is how often a transaction is tried.
const attempts = 3

// Transaction is a change of the state that is decided on facts which take too long
// to be gathered under the lock: a tree, what a program says.
type Transaction[T any] struct {
	// Gather reads the facts, without the lock, for a state that may be followed by
	// others meanwhile. Bound says that Decide may use them in this state only.
	Gather func(State[T]) (bound bool, err error)
	// Decide is the function of [Dir.Update]. It returns [ErrStale] to have the facts
	// gathered anew, where it needs some in this state that Gather did not read.
	Decide func(*Tx[T]) error
	// Drop undoes what Gather made for a decision that was not committed; it is called
	// after each such attempt in which Gather succeeded. nil: Gather makes nothing.
	Drop func() error
}

// Transact gathers facts and commits what is decided on them. When the state moved on
// in between it begins again, three times at most; the error is [ErrStale] then. Any
// other error of the functions comes back as it is, and the state has not changed.
func (d *Dir[T]) Transact(ctx context.Context, call Call, t Transaction[T]) (out UpdateResult[T], err error) {
	err = Retry(func() (err error) {
		out, err = d.attempt(ctx, call, t)
		return err
	})
	return out, err
}

// Retry calls f until its error is not [ErrStale], three times at most.
func Retry(f func() error) (err error) {
	for range attempts {
		if err = f(); !errors.Is(err, ErrStale) {
			return err
		}
	}
	return err
}

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
