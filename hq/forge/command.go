package forge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Command is a forge that a command of [merge] publish speaks to. It reads one JSON object from its standard
// input, a [Request] with an action, and prints one, a [Pull]:
//
//   - view: what the forge reports of the pull request; {} where there is none;
//   - open: opens one for the branch, which was pushed, or reopens the one with the id;
//   - close: closes it.
//
// An exit code other than 0 is an error, and the last line of its standard error says which.
type Command struct {
	Argv   []string
	Runner Runner
}

// call is what the command reads.
type call struct {
	Action string `json:"action"`
	Request
}

func (c Command) run(ctx context.Context, action, doing string, r Request) (p Pull, err error) {
	data, err := json.Marshal(call{action, r})
	if err != nil {
		return p, fmt.Errorf("%s: %w", doing, err)
	}
	out, err := c.Runner.Run(ctx, strings.NewReader(string(data)+"\n"), c.Argv...)
	if errors.Is(err, ErrNotInstalled) {
		return p, &Error{Doing: doing, Fix: "install " + c.Argv[0] + ", or change [merge] publish", Err: err}
	}
	if err != nil {
		return p, &Error{Doing: doing, Err: err}
	}
	if action == "close" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		return p, &Error{Doing: doing, Fix: "[merge] publish must print one JSON object: ferrus help landing",
			Err: fmt.Errorf("the answer of %s cannot be read: %w", c.Argv[0], err)}
	}
	switch p = p.bounded(); {
	case p.State != None && p.State != Open && p.State != Merged && p.State != Closed:
		err = fmt.Errorf("the state is %q, and not open, merged or closed", cleanLine(string(p.State)))
	case p.State != None && p.ID == "":
		err = errors.New("the pull request has no id")
	}
	if err != nil {
		return Pull{}, &Error{Doing: doing, Fix: "ferrus help landing describes what [merge] publish must print",
			Err: err}
	}
	return p, nil
}

// Find implements [Forge].
func (c Command) Find(ctx context.Context, r Request) (Pull, error) {
	return c.run(ctx, "view", "read the pull request", r)
}

// Open implements [Forge].
func (c Command) Open(ctx context.Context, r Request) (Pull, error) {
	p, err := c.run(ctx, "open", "open the pull request", r)
	if err == nil && p.State == None {
		err = &Error{Doing: "open the pull request", Err: errors.New("the answer names no pull request")}
	}
	return p, err
}

// Close implements [Forge].
func (c Command) Close(ctx context.Context, r Request) error {
	_, err := c.run(ctx, "close", "close the pull request", r)
	return err
}
