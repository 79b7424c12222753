package doctor

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ferrus/store"
)

const repairs = "run: ferrus doctor --repair"

// files looks at what .ferrus is made of; false when it cannot be entered.
func (p *inspection) files() bool {
	all, err := p.Store.CheckFiles(false)
	if err != nil {
		what, fix := split(err)
		p.find("files", Error, ".ferrus cannot be read", what, fix)
		return false
	}
	const most = 20
	for i, o := range all {
		if i == most {
			p.find("files", Warning, fmt.Sprintf("%d more files are not as ferrus creates them",
				len(all)-most), "", repairs)
			break
		}
		p.odd(o)
	}
	if len(all) == 0 {
		p.find("files", OK, "no other user can read or write .ferrus", "", "")
	}
	return true
}

func (p *inspection) odd(o store.FileIssue) {
	severity, fix := Warning, repairs
	if o.Worse {
		severity = Error
	}
	switch {
	case o.Mode != 0:
	case strings.Contains(o.Why, "belongs to"):
		fix = "run: chown -R $(id -u) .ferrus"
	default:
		fix = "remove it"
	}
	p.find("files", severity, "a file is not as ferrus creates it", ".ferrus/"+o.Name+" "+o.Why, fix)
}

// split parts what happened from what to do.
func split(err error) (what, fix string) {
	if damaged, ok := errors.AsType[*store.DamagedError](err); ok {
		place := ""
		if damaged.Line > 0 {
			place = fmt.Sprintf(" at line %d, column %d", damaged.Line, damaged.Column)
		}
		return "it is damaged" + place + ": " + damaged.Why, repairs
	}
	if what, fix, ok := strings.Cut(err.Error(), "; run: "); ok {
		return what, "run: " + fix
	}
	return err.Error(), ""
}

// state compares STATE.json, the journal and the texts.
func (p *inspection) state() {
	e, err := p.Store.Examine()
	if err != nil {
		p.find("state", Error, "the state cannot be read", err.Error(), "")
		return
	}
	p.unusable(e)
	p.edits(e.Edits)
	p.sound(e)
	p.journal(e)
	p.texts(e)
	p.outside(e)
}

// fixLock is what to do where the disk takes no lock.
const fixLock = "make .ferrus writable for you, then run ferrus doctor again"

// outside compares the record with the head that is kept outside the project.
func (p *inspection) outside(e store.Examination) {
	problem := p.Store.HeadProblem()
	moved := new(*store.PlaceError)
	if damaged := (*store.DamagedError)(nil); errors.As(e.Files, &damaged) {
		what, fix := split(e.Files)
		file := strings.TrimPrefix(damaged.File, filepath.Join(p.Dir, ".ferrus")+"/") + ": "
		p.find("files", Error, "a file is not what ferrus wrote", file+what, fix)
	} else if e.Files != nil {
		p.find("files", Error, "the files cannot be compared with what ferrus wrote", e.Files.Error(), fixLock)
	}
	damaged := (*store.DamagedError)(nil)
	switch {
	case errors.As(e.Outside, moved):
		p.find("state", Error, "the record may belong to another place", ".ferrus "+(*moved).Why,
			"if you did that, run: ferrus trust")
	case e.Outside != nil && !errors.As(e.Outside, &damaged):
		p.find("state", Error, "the record cannot be compared with the one that ferrus left", e.Outside.Error(),
			fixLock)
	case e.Outside != nil:
		what, fix := split(e.Outside)
		p.find("state", Error, "the record is not the one that ferrus left", what, fix)
	case problem != "":
		p.find("state", Warning, "the head of the record cannot be saved outside the project", problem,
			"make the directory writable; until then ferrus does not notice if an older record is restored")
	}
}

func (p *inspection) unusable(e store.Examination) {
	if e.Unusable == nil {
		return
	}
	what, fix := split(e.Unusable)
	if errors.Is(e.Unusable, store.ErrNone) && (e.Journal.Lines > 0 || e.Journal.BadCount > 0) {
		what, fix = "it is missing, and there is a journal", repairs
	}
	p.find("state", Error, "STATE.json cannot be used", what, fix)
}

// edits names each member that no event wrote so.
func (p *inspection) edits(all []store.StateEdit) {
	for _, e := range all {
		brief := "STATE.json was edited outside ferrus"
		if plain(e.Member) {
			brief += ": " + e.Member
		}
		detail := fmt.Sprintf("is %s, and the journal says %s", short(e.Have), short(e.Want))
		if !plain(e.Member) {
			detail = short(e.Member) + " " + detail
		}
		p.findings = append(p.findings, Finding{Area: "state", Severity: Error, What: brief + " " + detail,
			Fix: repairs, brief: brief})
	}
}

// plain names are ours; an invented one could say anything.
func plain(dotted string) bool {
	for part := range strings.SplitSeq(strings.ReplaceAll(dotted, ".md", ""), ".") {
		if !members()[part] && !members()[part+".md"] {
			return false
		}
	}
	return true
}

func short(value string) string {
	if value == "" {
		return "nothing"
	}
	if r := []rune(value); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return value
}

// sound asks the mind whether the state makes sense.
func (p *inspection) sound(e store.Examination) {
	if e.Unusable != nil {
		return
	}
	state, err := p.Store.Load()
	if err != nil {
		p.find("state", Error, "STATE.json cannot be used", err.Error(), repairs)
		return
	}
	if err := state.World.Validate(); err != nil {
		p.find("state", Error, "the state is inconsistent", err.Error(),
			orElse(repairs, len(e.Edits) > 0, "run: ferrus reset"))
		return
	}
	if len(e.Edits) == 0 && e.Journal.Disconnected+e.Journal.Broken == "" && e.Journal.Unreadable == nil {
		p.find("state", OK, fmt.Sprintf("STATE.json matches the journal, seq %d", e.Seq), "", "")
	}
}

func orElse(s string, ok bool, other string) string {
	if ok {
		return s
	}
	return other
}

func (p *inspection) journal(e store.Examination) {
	j := e.Journal
	before := len(p.findings)
	if j.Unreadable != nil {
		what, fix := split(j.Unreadable)
		p.find("journal", Error, "journal.jsonl cannot be read", what, fix)
	}
	for _, o := range j.Bad {
		p.find("journal", Error, fmt.Sprintf("journal.jsonl, line %d: %s", o.Number, o.Why), "", repairs)
	}
	if more := j.BadCount - len(j.Bad); more > 0 {
		p.find("journal", Error,
			fmt.Sprintf("journal.jsonl: %d more lines do not continue it", more), "", repairs)
	}
	if j.Disconnected != "" {
		p.find("journal", Error, "journal.jsonl does not lead to STATE.json: "+j.Disconnected, "", repairs)
	}
	if j.Broken != "" {
		p.find("journal", Error, "journal.jsonl is not what ferrus wrote: "+j.Broken, "", repairs)
	}
	if j.Torn > 0 {
		p.find("journal", Note, fmt.Sprintf("journal.jsonl: %d bytes after its last line were torn; the next change "+
			"cuts them off", j.Torn), "", "")
	}
	if j.Behind {
		p.find("journal", Note, "journal.jsonl: the newest line is in STATE.json only; the next change appends it", "",
			"")
	}
	if len(p.findings) == before {
		p.find("journal", OK, fmt.Sprintf("journal.jsonl: %d lines, each follows from the previous one",
			j.Lines), "", "")
	}
}

func (p *inspection) texts(e store.Examination) {
	for _, t := range e.Texts {
		fix := "restore the text, or run: ferrus reset"
		if t.Copied {
			fix = repairs
		}
		why := t.Why.Error()
		if d := (*store.DamagedError)(nil); errors.As(t.Why, &d) {
			why = d.Why
		}
		p.find("texts", Error, "a text differs from what ferrus wrote",
			fmt.Sprintf("%s in %s: %s", t.Name, t.File, why), fix)
	}
	for _, name := range e.Copies {
		p.find("texts", Note, "a copy differs from its text",
			fmt.Sprintf("%s; nothing reads the copy, only the text in docs", name), repairs)
	}
	if len(e.Texts)+len(e.Copies) == 0 && e.Unusable == nil {
		p.find("texts", OK, "all texts are unchanged", "", "")
	}
}
