package checks

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ferrus/checks/git"
)

// Modes of git: of a repository inside a repository, and of nothing.
const (
	linkMode = "160000"
	noMode   = "000000"
)

// differences are those between ferrus's index on one side and HEAD and the
// user's index on the other, as far as they matter.
type differences struct {
	missing     []string        // HEAD or the user's index has it, ours does not
	leftOut     []git.TreeEntry // what is not in ours because a sparse checkout leaves it out
	links       []git.TreeEntry // submodules that HEAD or the user's index has, and ours does not
	superfluous []string        // ours has it, it is ignored, and neither of them has it
	unlisted    map[string]bool // repositories inside, in ours, that neither HEAD nor the user's index has
}

// compare looks at differences instead of lists: in a large repository they
// are few.
func (p *private) compare(ctx context.Context, seen observed) (differences, error) {
	d := differences{unlisted: map[string]bool{}}
	staged := map[string]change{}
	out := p.leftOut()
	err := p.staged(ctx, func(c change) {
		if c.after != noMode {
			staged[c.name] = c
		} else {
			delete(out, c.name) // It was removed from the index.
		}
	})
	if err != nil {
		return d, err
	}
	err = p.ownGit().DiffTrees(ctx, p.head, seen.tree, func(before, after git.TreeEntry) {
		c := change{fmt.Sprintf("%06o", before.Mode), fmt.Sprintf("%06o", after.Mode), before.ID, after.ID, before.Path}
		if c.after == noMode && out[c.name] && p.isAbsent(c.name) {
			d.leftOut = append(d.leftOut, c.kept(staged))
			return
		}
		d.sort(c, staged, seen.ignored)
	})
	if err != nil {
		return d, err
	}
	for name, c := range staged { // What is left here is not in ours.
		switch {
		case c.after == linkMode:
			d.links = append(d.links, git.TreeEntry{Mode: git.ModeSubmodule, ID: c.id, Path: name})
		case c.before == noMode:
			d.missing = append(d.missing, name)
		}
	}
	return d, nil
}

// sort takes a path in which ours differs from HEAD.
func (d *differences) sort(c change, staged map[string]change, ignored map[string]bool) {
	if c.after == noMode {
		if _, also := staged[c.name]; c.before != linkMode {
			d.missing = append(d.missing, c.name)
		} else if !also {
			d.links = append(d.links, git.TreeEntry{Mode: git.ModeSubmodule, ID: c.oldID, Path: c.name})
		}
		return
	}
	users, both := staged[c.name]
	delete(staged, c.name)
	if c.after == linkMode && c.before != linkMode && users.after != linkMode {
		d.unlisted[c.name] = true
	}
	if c.before == noMode && !both && ignored[c.name] {
		d.superfluous = append(d.superfluous, c.name)
	}
}

// change is a path in which an index differs from HEAD.
type change struct{ before, after, oldID, id, name string }

// kept returns what a file that is not there is in the user's index, or else in HEAD.
func (c change) kept(staged map[string]change) git.TreeEntry {
	mode, id := c.before, c.oldID
	if users, both := staged[c.name]; both {
		mode, id = users.after, users.id
		delete(staged, c.name)
	}
	bits, _ := strconv.ParseUint(mode, 8, 32) // Git wrote it.
	return git.TreeEntry{Mode: uint32(bits), ID: id, Path: c.name}
}

// staged calls f with every path in which the user's index differs from HEAD.
func (p *private) staged(ctx context.Context, f func(change)) error {
	if p.IsIndexOf(p.head) {
		return nil
	}
	var c change
	return p.Git().Each(ctx, func(part string) {
		// :100644 100644 <hash> <hash> M, and then the path.
		if fields := strings.Fields(part); c.before == "" && len(fields) == 5 {
			c.before, c.after = strings.TrimPrefix(fields[0], ":"), fields[1]
			c.oldID, c.id = fields[2], fields[3]
			return
		}
		c.name = part
		f(c)
		c = change{}
	}, "diff-index", "--cached", "--raw", "--no-renames", "--ignore-submodules=none", "-z", p.head, "--")
}
