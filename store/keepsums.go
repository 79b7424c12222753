package store

import (
	"context"
	"slices"
)

// keptSums is a file in [Heads], beside a keptHead: the hashes that sums may have. There
// are three while a file is being replaced, and more after a crash.
type keptSums struct {
	Sums       []string `json:"sums"`                 // hashes of the file sums
	Generation uint64   `json:"generation,omitempty"` // as in keptHead
	Sum        string   `json:"sum"`                  // as in keptHead
}

// confirmedSums is a file beside a keptSums, written after a change, without a sync: the change was made, so of the
// file sums only this one counts, and of the hashes in it only the newest of each file. It is not written while another
// file has several hashes, because the change does not tell which of them counts. A power failure can lose or tear it;
// then the file from before the change counts as well, until the next change.
type confirmedSums struct {
	Kept string `json:"kept"` // Sum of the keptSums that it belongs to
	Of   string `json:"of"`   // hash of the file sums
	Sum  string `json:"sum"`  // as in keptHead
}

// mostKept bounds what writers that were killed one after the other leave.
const mostKept = 30

func (k *keptSums) generation() *uint64 { return &k.Generation }
func (k *keptSums) sum() *string        { return &k.Sum }
func (k *confirmedSums) sum() *string   { return &k.Sum }

// sumsOf and confirmedOf return the names of the keptSums of a project, and of its confirmedSums.
func sumsOf(project string) string      { return project + ".sums" }
func confirmedOf(project string) string { return project + ".confirmed" }

// read returns what is kept. After a confirmed change that is one hash, which it returns as confirmed too.
func (o outside) read() (kept keptSums, confirmed string, err error) {
	if kept, err = readNewest[keptSums](o.heads, sumsOf(o.project)); err != nil {
		return keptSums{}, "", err
	}
	var last confirmedSums
	if readRecord(o.heads, confirmedOf(o.project), &last) == nil && last.Kept == kept.Sum {
		kept.Sums, confirmed = []string{last.Of}, last.Of
	}
	return kept, confirmed, nil
}

// check compares sums with what is kept outside. Where nothing can be kept there, or
// the whole .ferrus is in another place, which its head says, there is nothing to compare.
func (o outside) check(d *Files, s *sums) error {
	if o.heads == nil {
		return nil
	}
	kept, confirmed, err := o.read()
	switch {
	case isMissing(err) || isUnwritable(err):
		return nil // an earlier ferrus kept none
	case err != nil:
		return &DamagedError{File: d.headsAt + "/" + sumsOf(o.project), Why: err.Error(), Fix: fixRepair}
	}
	if slices.Contains(kept.Sums, s.hash) {
		if s.hash == confirmed {
			s.keepNewest()
		}
		return nil
	}
	at, inode := d.place()
	if head, err := readNewest[keptHead](o.heads, o.project); err == nil {
		if why, _ := head.moved(at, inode); why != "" {
			return nil
		}
	}
	if s.Unkept != "" {
		return &PlaceError{Dir: d.root, Why: "has changed while its sums could not be kept outside (" + s.Unkept + ")"}
	}
	return &DamagedError{File: sumsName, Fix: fixRepair,
		Why: "it is not the one that ferrus left here: an older or another copy took its place"}
}

// save says outside, durably, which sums there may be from here on: the next, and if
// present, a hash, is not empty, also the present ones and all that were kept until now. A
// writer that was killed may have replaced the file and not made that durable: until this one
// has done so, a power failure brings the file before it back. Where nothing can be written
// there the next ones say so themselves; else it returns the Sum of what is kept.
func (o outside) save(present string, next ...*sums) (saved string, err error) {
	why := o.why
	if o.heads != nil {
		var kept keptSums
		if present != "" {
			kept, _, _ = o.read() // an earlier ferrus kept none, or a repair replaces what is damaged
			kept.Sums = append(kept.Sums[max(len(kept.Sums)-mostKept, 0):], present)
		}
		for _, s := range next {
			s.Unkept = ""
			data, err := encodeSummed(s)
			if err != nil {
				return "", err
			}
			kept.Sums = append(kept.Sums, sha(data))
		}
		err := writeNewest(o.heads, sumsOf(o.project), &kept)
		if !isUnwritable(err) {
			return kept.Sum, err
		}
		why = err
	}
	if why != nil {
		for _, s := range next {
			s.Unkept = why.Error()
		}
	}
	return "", nil
}

// confirm records that a change was made after [outside.save] returned what it saved, or returns false where nothing
// can be kept.
func (o outside) confirm(saved string, s *sums) bool {
	return saved != "" && overwrite(o.heads, confirmedOf(o.project), &confirmedSums{Kept: saved, Of: s.hash}) == nil
}

// outside is where the head of a .ferrus and its sums are kept.
type outside struct {
	project string
	heads   folder // nil: nowhere
	why     error  // that they are not kept; nil: nothing is in the way
}

// openOutside opens it.
func (d *Files) openOutside(f folder) outside {
	if d.heads == nil {
		return outside{}
	}
	doc, err := d.readDocument(f)
	if err != nil || doc.Head == nil {
		return outside{} // there is none yet, or its reader reports the error
	}
	heads, err := d.heads.open()
	if err != nil {
		heads = nil
	}
	return outside{doc.Head.Project, heads, err}
}

// close closes it. Nothing is written by that.
func (o outside) close() {
	if o.heads != nil {
		_ = o.heads.Close()
	}
}

// adoptSums keeps the sums as they are.
func (d *Files) adoptSums(f folder) error {
	unlock, err := f.lock(context.Background(), sumsLock)
	if err != nil {
		return err
	}
	defer unlock.Close()
	s, err := d.readSums(f)
	if err != nil {
		return ignoreMissing(err)
	}
	present := s.hash
	o := d.openOutside(f)
	defer o.close()
	if _, err := o.save(present, &s); err != nil {
		return err
	}
	return writeSums(f, &s)
}
