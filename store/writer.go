package store

import "io"

// writer is the process and goroutine that holds the lock, during one update.
type writer[T any] struct {
	dir        *Dir[T]
	folder     folder
	unlock     io.Closer
	doc        document // STATE.json
	state      State[T] // the same, for callers
	journal    journal
	fresh      map[string]string // the texts of this commit, whose copies have to be written
	unfinished error             // what failed after the commit
	keeping    keeping
}

// journal is the open journal file.
type journal struct {
	file file
	end  int64 // the offset of the next entry
}

// recovered identifies a state whose writer's work is known to be complete: nothing has
// to be checked again while STATE.json and the journal are the same.
type recovered struct {
	seq  uint64
	size int64 // of the journal
}
