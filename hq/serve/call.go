package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// toolCall is one use of a tool.
type toolCall struct {
	context.Context
	*conn
	tool      tool
	arguments map[string]string
	value     any // a pointer to the tool's struct of arguments, where it has one
	by        core.Actor
	id        store.Call
	progress  *progress
}

// handler executes one use of a tool.
type handler func(*toolCall) (*outcome, error)

// toolRow is a tool and what executes it.
type toolRow struct {
	tool
	run handler
}

// toCommand returns the handler of a tool that is a command of the table and nothing
// more; text names the argument that is the command's text.
func toCommand(kind machine.Kind, text string) handler {
	return func(c *toolCall) (*outcome, error) {
		return result(c.do(core.Command{Kind: kind, Text: c.arguments[text]}))
	}
}

// toReply returns the handler of a tool that answers a question this session has seen.
// A caller that was refused as too late has seen what is open now, and may answer that.
func toReply(kind machine.Kind, text string) handler {
	return func(c *toolCall) (*outcome, error) {
		r, err := c.do(core.Command{Kind: kind, Text: c.arguments[text], Ticket: c.seen.of(c.tool.name)})
		if refused := machine.AsRefusal(err); refused != nil && refused.Code == machine.Stale {
			c.refreshTickets()
		}
		return result(r, err)
	}
}

// do gives a command in the name of the caller.
func (c *toolCall) do(command core.Command) (core.Result, error) {
	command.By = c.by
	return c.project.Do(c, c.id, command)
}

// renewAgain is the age at which a renewal of the lease is repeated.
const renewAgain = time.Second

// renew renews the caller's lease, if it holds one that was not renewed just now.
func (c *toolCall) renew() {
	state, err := c.project.World()
	if err != nil || !c.holdsLease(state.World) {
		return
	}
	last, until := state.World.LastHeartbeat, state.World.LeaseUntil
	if last != nil && until != nil && time.Since(*last).Abs() < min(renewAgain, until.Sub(*last)/4) {
		return
	}
	if _, err := c.do(core.Command{Kind: core.KindHeartbeat}); err != nil && !machine.IsRefusal(err) && c.Err() == nil {
		c.log.Warn("renew the lease", "error", err)
	}
}

// callKey is the same for calls that ask the same.
func callKey(session, tool string, arguments map[string]string) string {
	data, _ := json.Marshal(arguments) // Strings always can be; keys come sorted.
	sum := sha256.Sum256(append([]byte(session+" "+tool+" "), data...))
	return session + " " + tool + " " + hex.EncodeToString(sum[:16])
}
