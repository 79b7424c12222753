package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Error says why walls are not available.
type Error struct {
	What   string // was tried
	Output string // of bubblewrap or the kernel, in one line
}

// Error says what was tried and what happened.
func (e *Error) Error() string { return e.What + ": " + e.Output }

// Choose returns the strongest walls that hold on this machine, after it tried them. With
// [Auto] it fails only if the context ends, or if stronger walls held on the same system before, see
// [heldBefore]: the walls say why they are not stronger. With
// [Require] it fails without namespace walls and the network asked for. A program that has
// not called [Main] gets the zero value, which is no walls.
func Choose(ctx context.Context, mode Mode, network Network) (Walls, error) {
	network = cmp.Or(network, Open)
	if !ready {
		return Walls{}, nil // This program cannot start itself again.
	}
	if mode == Off {
		return Walls{Kind: None, Network: Open, Reason: `ferrus.toml has mode = "off" in [sandbox]`}, nil
	}
	go programSecrets() // while the probe waits: Command needs them
	return probes{required, probeNamespace, probeSecond}.chooseAsBefore(ctx, mode, network, recentFile())
}

// probes are what the walls of an operating system are found by.
type probes struct {
	required  Kind // by [Require]
	namespace func(context.Context, Network) (Walls, error)
	second    func(context.Context) (Walls, error) // the second best walls
}

// chooseAsBefore also fails if stronger walls are noted in a file, and notes walls that hold.
func (p probes) chooseAsBefore(ctx context.Context, mode Mode, network Network, file string) (Walls, error) {
	w, err := p.choose(ctx, mode, network)
	if err == nil && w.Reason != "" {
		err = heldBefore(file, network, w.Reason, time.Now())
	}
	if err != nil {
		return Walls{}, err
	}
	noteTried(file, w, time.Now())
	return w, nil
}

func (p probes) choose(ctx context.Context, mode Mode, network Network) (Walls, error) {
	best, err := p.namespace(ctx, network)
	if err == nil || ctx.Err() != nil {
		return best, errors.Join(err, ctx.Err())
	}
	if mode == Require {
		if network == Open && p.required == Seatbelt {
			if best, err = p.second(ctx); err == nil {
				return best, nil
			}
		}
		return Walls{}, fmt.Errorf("the sandbox is required: %w", err)
	}
	reason, cure := err.Error(), Cure(err)
	if network == Proxied {
		if best, err := p.namespace(ctx, Open); err == nil {
			best.Reason, best.Cure = reason, cure
			return best, nil
		}
	}
	next, err := p.second(ctx)
	if err != nil {
		next = Walls{Kind: None}
		reason += "; " + err.Error()
	}
	next.Network, next.Reason, next.Cure = Open, reason, cure
	return next, ctx.Err()
}

// choice is what this process has found, or is about to.
type choice struct {
	mu    sync.Mutex // held while the walls are tried
	found bool       // guarded by mu
	walls Walls      // guarded by mu
}

var choices sync.Map // of *choice, by the arguments of Chosen

// Chosen is like [Choose] once for each process: a conductor starts with a probe of its own. Further calls
// wait for the first one, and try again if that one failed.
func Chosen(ctx context.Context, mode Mode, network Network) (Walls, error) {
	return chosen(mode, network, func() (Walls, error) { return Choose(ctx, mode, network) })
}

// chosen returns what this process has found, or finds it.
func chosen(mode Mode, network Network, find func() (Walls, error)) (Walls, error) {
	kept, _ := choices.LoadOrStore([2]string{string(mode), string(network)}, &choice{})
	c := kept.(*choice)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found {
		return c.walls, nil
	}
	w, err := find()
	c.walls, c.found = w, err == nil
	return w, err
}

// String returns the walls and the network in a few words.
func (w Walls) String() string {
	switch w.Kind {
	case None, "":
		return "no sandbox"
	case Landlock:
		return "landlock (accidents only), network " + string(w.Network)
	case Seatbelt:
		return "seatbelt (experimental), network " + string(w.Network)
	}
	return fmt.Sprintf("%s, network %s", w.Kind, w.Network)
}

// Exposed is what it means for your files that a program runs without walls.
const Exposed = "your files can be read, ~/.ssh too"

// Describe returns the walls with what they leave open, the reason why they are not stronger, and the cure.
func (w Walls) Describe() string {
	text := w.String()
	if w.Kind == None {
		text += ": " + Exposed
	}
	for _, part := range []string{w.Reason, w.Cure} {
		if part != "" {
			text += "; " + part
		}
	}
	return text
}

// failures returns the findings that do not hold, without some that the kind of walls
// cannot have.
func failures(findings []Finding, without ...string) error {
	var all []string
next:
	for _, f := range findings {
		for _, name := range without {
			if f.Name == name {
				continue next
			}
		}
		if !f.Holds {
			all = append(all, f.Name+" ("+f.Got+")")
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &Error{"probe the walls", "does not hold: " + strings.Join(all, ", ")}
}
