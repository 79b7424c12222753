package doctor

import (
	"context"
	"errors"
	"fmt"

	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/store"
)

// workflows compares the state of each workflow with its journal.
func (p *inspection) workflows() {
	ids, err := workflow.IDs(p.Store)
	if err != nil {
		p.find("workflows", Warning, "the workflows cannot be listed", err.Error(), repairs)
		return
	}
	sound := 0
	for _, id := range ids {
		if inspectRecord[workflow.Document](p, "workflows", workflow.Dir+"/"+id) {
			sound++
		}
	}
	if sound > 0 {
		p.find("workflows", OK, fmt.Sprintf("workflows that match their journals: %d", sound), "", "")
	}
}

// queue compares the state of the queue with its journal.
func (p *inspection) queue() {
	if p.hasQueue() && inspectRecord[queue.Document](p, "queue", queue.Dir) {
		p.find("queue", OK, "the queue matches its journal", "", "")
	}
}

func (p *inspection) hasQueue() bool {
	names, err := p.Store.List(queue.Dir)
	return err != nil || len(names) > 0
}

// inspectRecord reports whether a record that was begun is sound.
func inspectRecord[D any](p *inspection, area, name string) bool {
	e, err := examineRecord[D](p, name)
	switch {
	case err != nil:
		p.find(area, Error, name+" cannot be examined", err.Error(), repairs)
	case wasNotStarted(e):
	case e.Unusable != nil && len(e.Edits) == 0:
		what, _ := split(e.Unusable)
		p.find(area, Error, name+"/state.json cannot be used", what, repairs)
	case e.Journal.Unreadable != nil:
		p.find(area, Error, name+"/journal.jsonl cannot be read", e.Journal.Unreadable.Error(), repairs)
	case e.Journal.Disconnected != "":
		p.find(area, Error, name+"/journal.jsonl does not lead to its state", e.Journal.Disconnected, repairs)
	case len(e.Edits) > 0:
		p.find(area, Error, name+"/state.json was edited outside ferrus", short(e.Edits[0].Member), repairs)
	case e.Journal.BadCount > 0:
		p.find(area, Error,
			fmt.Sprintf("%s/journal.jsonl: %d lines do not continue it", name, e.Journal.BadCount),
			"", repairs)
	case e.Journal.Broken != "":
		p.find(area, Error, name+"/journal.jsonl was changed", e.Journal.Broken, repairs)
	case len(e.Texts) > 0:
		p.find(area, Error, name+": a text differs from what ferrus wrote", e.Texts[0].Name, repairs)
	default:
		return true
	}
	return false
}

// wasNotStarted reports whether the maker of a record died before there was a state.
func wasNotStarted(e store.Examination) bool {
	return errors.Is(e.Unusable, store.ErrNone) && e.Journal.Lines+e.Journal.BadCount == 0
}

func examineRecord[D any](p *inspection, name string) (store.Examination, error) {
	d, err := store.InspectIn[D](p.Store, name)
	if err != nil {
		return store.Examination{}, err
	}
	return d.Examine()
}

// repairRecords rebuilds what the journals of workflows and of the queue prove.
func (p *inspection) repairRecords(ctx context.Context) (all store.Repaired, err error) {
	ids, err := workflow.IDs(p.Store)
	if err != nil {
		return all, err
	}
	for _, id := range ids {
		sound := func(d workflow.Document) error { return d.Validate() }
		if err := repairRecord(ctx, p, workflow.Dir+"/"+id, sound, &all); err != nil {
			return all, err
		}
	}
	if p.hasQueue() {
		err = repairRecord(ctx, p, queue.Dir, queue.Document.Validate, &all)
	}
	return all, err
}

func repairRecord[D any](ctx context.Context, p *inspection, name string, sound func(D) error,
	all *store.Repaired) error {
	e, err := examineRecord[D](p, name)
	if err != nil || e.IsIntact() || wasNotStarted(e) {
		return nil //nolint:nilerr // what cannot be looked at is a finding, and no reason to leave the others
	}
	d, err := store.InspectIn[D](p.Store, name)
	if err != nil {
		return err
	}
	done, err := d.Repair(ctx, sound)
	for _, did := range done.Fixed {
		all.Fixed = append(all.Fixed, name+": "+did)
	}
	for _, left := range done.Unfixed {
		all.Unfixed = append(all.Unfixed, name+": "+left)
	}
	return err
}
