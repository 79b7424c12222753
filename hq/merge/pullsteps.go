package merge

import (
	"context"
	"fmt"
	"strings"

	"ferrus/checks/git"
	"ferrus/hq/commit"
	"ferrus/hq/forge"
	"ferrus/hq/land"
	"ferrus/hq/queue"
)

// request names the pull request to the forge.
func (p *pull) request(message string) forge.Request {
	at := p.item.Pull
	title, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	body = strings.TrimSpace(body)
	return forge.Request{Task: p.item.Task, Branch: at.Branch, Commit: at.Commit, Base: at.Base, Remote: at.Remote,
		Title: title, Body: strings.TrimSpace(body + "\n\nFerrus-Task: " + p.item.Task), ID: at.ID}
}

// change returns what the item adds to a commit.
func (p *pull) change(ctx context.Context, i queue.Item) (land.Change, error) {
	b := branch{Merger: p.Merger, options: p.options}
	return b.change(ctx, i)
}

// message returns the message of the commit.
func (p *pull) message(ctx context.Context) (string, error) {
	home, err := git.Locate(p.project.Dir)
	if err != nil {
		return "", err
	}
	data, err := home.Git().Object(ctx, "commit", p.item.Pull.Commit)
	_, message, _ := strings.Cut(string(data), "\n\n")
	return message, err
}

// prepare makes the commit that is pushed, and records where it is to be pushed to before anything is.
func (p *pull) prepare(ctx context.Context) (more bool, err error) {
	i := p.item
	place, err := p.placeOf(ctx, i.Task, i.Staged.Target)
	if err != nil {
		return false, err
	}
	if place.From, err = p.fetch(ctx, place, i.Staged.Target); err != nil {
		return false, err
	}
	change, err := p.change(ctx, i)
	if err != nil {
		return false, err
	}
	if conflict, err := p.conflict(ctx, place, change); err != nil || conflict {
		return conflict, err
	}
	home, err := git.Locate(p.project.Dir)
	if err != nil {
		return false, err
	}
	parent, err := home.Git().Output(ctx, "rev-parse", "--verify", i.Staged.Commit+"^")
	if err != nil {
		return false, err
	}
	// What you have not pushed yourself is no part of the pull request.
	if on, err := p.isOn(ctx, parent, place.From); err != nil {
		return false, err
	} else if !on {
		parent = place.From
	}
	made, err := land.Build(ctx, p.project.Project, parent, change)
	if err != nil {
		return false, fmt.Errorf("make the commit of %s: %w", i.Name(), err)
	}
	signed, err := commit.Sign(ctx, home, parent, []string{made.Commit})
	if err != nil {
		return false, err
	}
	if err := p.stopped(); err != nil {
		return false, err
	}
	if err := home.Git().Do(ctx, "update-ref", pullRef(i.Task), signed[0]); err != nil {
		return false, err
	}
	return true, p.note(ctx, "pull_prepared", func(i *queue.Item) string {
		next := queue.Pull{}
		if i.Pull != nil {
			next = *i.Pull
			next.Former = i.Pull.Commit
		}
		if next.ID != "" { // what the forge merged since then is not what was there before
			place.From = next.From
		}
		next.PullPlace, next.Commit, next.At, next.Step = place, signed[0], i.Staged.At, queue.PullPush
		next.Why, next.Held, next.Other, i.Why = "", queue.PullNotHeld, "", ""
		i.Pull = &next
		return fmt.Sprintf("%.12s for %s of %s", next.Commit, next.Branch, next.Remote)
	})
}

// pullRef names the ref that keeps what was pushed for a task.
func pullRef(task string) string { return "refs/ferrus/pull/" + task }

// push has the branch of the remote at the commit. What someone else put there stays.
func (p *pull) push(ctx context.Context) (more bool, err error) {
	at := p.item.Pull
	have, err := p.remoteHead(ctx, at.Remote, at.Branch, p.item.Onto)
	if err != nil {
		return false, err
	}
	forward, err := p.isOn(ctx, have, at.Commit) // then nothing of anyone's is lost
	if err != nil {
		return false, err
	}
	switch {
	case have == at.Commit:
	case have == "" || have == at.Former || forward:
		if err := p.pushTo(ctx, at.PullPlace, p.item.Onto, at.Commit, have); err != nil {
			return false, err
		}
	default:
		return false, p.hold(ctx, queue.PullForced, have, "%s of %s is at %.12s, which ferrus did not push: ferrus "+
			"merge again pushes the approved work", at.Branch, at.Remote, have)
	}
	return true, p.note(ctx, "pull_pushed", func(i *queue.Item) string {
		i.Pull.Step, i.Pull.Former, i.Pull.Why, i.Pull.Other = queue.PullOpen, have, "", ""
		if i.Pull.Held != queue.PullClosed { // you want it reopened
			i.Pull.Held = queue.PullNotHeld
		}
		return fmt.Sprintf("%.12s to %s of %s", at.Commit, at.Branch, at.Remote)
	})
}

// open finds the pull request of the branch, and opens one only if there is none.
func (p *pull) open(ctx context.Context) (more bool, err error) {
	at, f := p.item.Pull, p.forge(p.item.Onto, p.item.Staged.Publish)
	message, err := p.message(ctx)
	if err != nil {
		return false, err
	}
	r := p.request(message)
	found, err := f.Find(ctx, r)
	if err != nil {
		return false, err
	}
	if found.ID != "" && found.ID == at.Skip && found.State != forge.Open {
		found = forge.Pull{}
	}
	reopen := found.State == forge.Closed && at.Held == queue.PullClosed
	if found.State == forge.None || reopen {
		if err := p.stopped(); err != nil {
			return false, err
		}
		if found, err = openOrReopen(ctx, f, r, found.ID); err != nil {
			return false, err
		}
	}
	return true, p.note(ctx, "pull_opened", func(i *queue.Item) string {
		i.Pull.ID, i.Pull.URL, i.Pull.Step = found.ID, found.URL, queue.PullWait
		i.Pull.Why, i.Pull.Held = "", queue.PullNotHeld
		return strings.TrimSpace(fmt.Sprintf("pull request %s %s", found.ID, found.URL))
	})
}

// openOrReopen opens a pull request: again the one with an id, if the forge lets it.
func openOrReopen(ctx context.Context, f forge.Forge, r forge.Request, id string) (forge.Pull, error) {
	if r.ID = id; id != "" {
		if found, err := f.Open(ctx, r); err == nil {
			return found, nil
		}
	}
	r.ID = ""
	return f.Open(ctx, r)
}
