package doctor

import (
	"context"
	"errors"
	"fmt"

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
		if p.workflow(id) {
			sound++
		}
	}
	if sound > 0 {
		p.find("workflows", OK, fmt.Sprintf("%d workflows are what their journals make of them", sound), "", "")
	}
}

// workflow reports whether one that was begun is sound.
func (p *inspection) workflow(id string) bool {
	name := workflow.Dir + "/" + id
	e, err := p.inspectWorkflow(id)
	switch {
	case err != nil:
		p.find("workflows", Error, name+" cannot be looked at", err.Error(), repairs)
	case errors.Is(e.Unusable, store.ErrNone) && e.Journal.Lines+e.Journal.BadCount == 0: // it was not begun
	case e.Unusable != nil && len(e.Edits) == 0:
		what, _ := split(e.Unusable)
		p.find("workflows", Error, name+"/state.json cannot be used", what, repairs)
	case e.Journal.Unreadable != nil:
		p.find("workflows", Error, name+"/journal.jsonl cannot be read", e.Journal.Unreadable.Error(), repairs)
	case e.Journal.Disconnected != "":
		p.find("workflows", Error, name+"/journal.jsonl does not lead to its state", e.Journal.Disconnected, repairs)
	case len(e.Edits) > 0:
		p.find("workflows", Error, name+"/state.json was edited behind ferrus's back",
			short(e.Edits[0].Member), repairs)
	case e.Journal.BadCount > 0:
		p.find("workflows", Error, fmt.Sprintf("%s/journal.jsonl: %d lines follow from nothing", name,
			e.Journal.BadCount), "", repairs)
	case e.Journal.Broken != "":
		p.find("workflows", Error, name+"/journal.jsonl was changed", e.Journal.Broken, repairs)
	case len(e.Texts) > 0:
		p.find("workflows", Error, name+": a text is not what was written", e.Texts[0].Name, repairs)
	default:
		return true
	}
	return false
}

func (p *inspection) inspectWorkflow(id string) (store.Examination, error) {
	d, err := store.InspectIn[workflow.Document](p.Store, workflow.Dir+"/"+id)
	if err != nil {
		return store.Examination{}, err
	}
	return d.Examine()
}

// repairWorkflows rebuilds what the journals of workflows prove.
func (p *inspection) repairWorkflows(ctx context.Context) (all store.Repaired, err error) {
	ids, err := workflow.IDs(p.Store)
	if err != nil {
		return all, err
	}
	for _, id := range ids {
		e, err := p.inspectWorkflow(id)
		if err != nil || e.Sound() || errors.Is(e.Unusable, store.ErrNone) && e.Journal.Lines+e.Journal.BadCount == 0 {
			continue // what cannot be looked at is a finding, and no reason to leave the others
		}
		name := workflow.Dir + "/" + id
		d, err := store.InspectIn[workflow.Document](p.Store, name)
		if err != nil {
			return all, err
		}
		done, err := d.Repair(ctx, func(d workflow.Document) error { return d.Validate() })
		for _, did := range done.Fixed {
			all.Fixed = append(all.Fixed, name+": "+did)
		}
		for _, left := range done.Unfixed {
			all.Unfixed = append(all.Unfixed, name+": "+left)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
