package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/host"
	"ferrus/hq/human"
	"ferrus/hq/project"
	"ferrus/store"
)

// undecided are the commands of yours that decide nothing, or have no state to change yet. They are refused inside a
// session only. All others need evidence that you give them.
var undecided = []string{"run", "check", "check --force", "pair", "gc", "register", "attach --read", "task shell"}

// inHQ has what does the same in HQ as a command that needs evidence.
var inHQ = map[string]string{
	"answer": "type the answer in HQ", "permit": "in HQ: /permit",
	"approve": "in HQ: /approve", "reject": "in HQ: /reject",
	"review": "in HQ: F4, then c and S",
	"retry":  "in HQ: /retry", "resume": "in HQ: /resume", "reset": "in HQ: /reset", "tell": "in HQ: /tell",
	"switch": "in HQ: /switch", "trust": "in HQ: /trust", "land": "in HQ: /land", "attach": "in HQ: /attach",
	"specs --select": "in HQ: /milestones", "check --cancel": "in HQ: /check --cancel",
	"workflow start": "in HQ: /workflow", "workflow approve": "in HQ: /workflow approve",
	"workflow revise": "in HQ: /workflow revise", "workflow unblock": "in HQ: /workflow unblock",
	"workflow replan": "in HQ: /workflow replan", "workflow cancel": "in HQ: /workflow cancel",
	"adopt": "in HQ: /adopt", "network": "in HQ: /network", "merge": "in HQ: /merge", "unland": "in HQ: /unland",
	"task approve": "in HQ: /queue approve", "task cancel": "in HQ: /reset, for the running task",
	"pair --tell": "in HQ: /tell primary", "pair --yes": "in HQ: /pair",
	"worker drain": "in HQ: /workers drain", "worker resume": "in HQ: /workers resume",
}

// refuseSession refuses a command that is given inside a session, of whatever project.
func refuseSession(pr *project.Task, command string) error {
	name := ""
	if e, inside := pr.InsideSession(); inside {
		name = e.Name
	} else if owner, inside := host.OwnerOfSelf(""); inside {
		name = owner.Name
	}
	if name == "" {
		return nil
	}
	return failure(fmt.Sprintf("ferrus %s can only be run by you, not from inside an agent session (%s)",
		command, name),
		"use HQ, or your own terminal")
}

// requireHuman refuses a human's command without evidence that you give it, and records
// where it comes from. While a conductor is running, the conductor decides. A refusal
// changes nothing.
func requireHuman(ctx context.Context, pr *project.Task, command string) error {
	hints := []string{inHQ[command], "use your own terminal, outside agent sessions"}
	_, conducted, err := pr.Store.Holder(project.ConductorLock)
	if err != nil {
		return err
	}
	if !conducted {
		f := human.ExamineSelf(pr)
		if f.Standing == human.Own {
			pr.Via = f.From
			return nil
		}
		return failure(fmt.Sprintf("ferrus %s can only be run by you, and there is no evidence that it is you: %s",
			command, f.Why),
			append(hints, "ferrus help troubleshooting lists what counts as evidence")...)
	}
	r := human.Request{Command: command, Text: strings.Join(os.Args[1:], " ")}
	reply, err := human.Ask(ctx, pr.Dir, r, func(why string) {
		fmt.Fprintf(os.Stderr, "ferrus: ferrus %s waits until you confirm it in HQ, with /allow or /deny: %s\n",
			command, why)
	})
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case err != nil:
		return failure(fmt.Sprintf("ferrus %s can only be run by you, and HQ cannot be asked: %v", command,
			err),
			hints[0])
	case !reply.Allowed:
		return failure(fmt.Sprintf("ferrus %s can only be run by you: %s", command, reply.Why), hints...)
	}
	pr.Via = reply.Via
	return nil
}

// openWithCode opens the project for an answer that a one-time code allows, and uses the
// code up.
func openWithCode(std *streams, command, code string) (*project.Task, store.State[core.World], error) {
	pr, state, err := std.chosenWorld(openProject())
	if err == nil {
		err = refuseSession(pr, command)
	}
	if err != nil {
		return nil, state, err
	}
	q := state.World.Question
	if q == nil || q.Answered {
		return nil, state, failure("no question is open, and a code only answers a question")
	}
	if err := human.UseCode(pr, q.Ticket, code); err != nil {
		return nil, state, failure(err.Error(), "ferrus run prints a new one when it exits with 3")
	}
	pr.Via = "one-time code, " + human.Self()
	return pr, state, nil
}

// offerCodes is like [offerCode] for each task that waits for an answer.
func offerCodes(pr *project.Task, ended error) error {
	ended = offerCode(pr, "", ended)
	rows, err := queueRows(pr)
	if err != nil {
		return errors.Join(ended, err)
	}
	for _, r := range rows {
		if r.Dir == "" || !r.Needs {
			continue
		}
		if of, err := pr.OpenTask(r.Dir); err == nil { // else the list says what is wrong
			ended = offerCode(of, fmt.Sprintf("--task %d ", r.N), ended)
		}
	}
	return ended
}

// offerCode adds to the end of a run that waits for an answer a code to answer with. The
// sessions have ended: none of them sees it. Task is the flag that names the task; it may be empty.
func offerCode(pr *project.Task, task string, ended error) error {
	var waits *exitError
	if !errors.As(ended, &waits) || waits.code != codeWaiting {
		return ended
	}
	state, err := pr.World()
	if err != nil || !questionOpen(state.World) {
		return ended
	}
	code, err := human.NewCode(pr, state.World.Question.Ticket)
	if err != nil {
		return errors.Join(ended, err)
	}
	waits.hints = append(waits.hints,
		"without a terminal, once, within a day: ferrus answer "+task+"--code "+code+" <text>")
	return waits
}
