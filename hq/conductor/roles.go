package conductor

import (
	"fmt"
	"maps"
	"time"

	"ferrus/hq/conductor/accounts"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
)

// roles are what the roles of the task run on: what it has pinned, else what ferrus.toml says.
type roles struct {
	*observed
	*settings
	local  *session.Local
	gate   *gateview.Watch
	limits *accounts.Limits     // of all tasks
	usedUp map[string]time.Time // the agents that have hit their usage limits, and until when
	edited string               // hash of a ferrus.toml that is not the pinned one
	stays  bool                 // it was so for editAccepted
}

// agents returns the custom agents of ferrus.toml, but a pinned one unchanged since it
// was pinned.
func (r *roles) agents() map[string]config.Custom {
	own := r.config.Agent
	pin := r.world().Pinned()
	if pin == nil {
		return own
	}
	all := map[string]config.Custom{}
	maps.Copy(all, own)
	for _, one := range []core.RolePin{pin.Supervisor, pin.Executor} {
		delete(all, one.Agent)
		if one.Custom() {
			all[one.Agent] = config.Custom{
				Command: one.Command, InteractiveCommand: one.InteractiveCommand, ACP: one.ACP,
			}
		}
	}
	return all
}

// onlyFerrus reports whether an agent gets ferrus's MCP server alone: the pin of the task says so,
// or ferrus.toml.
func (r *roles) onlyFerrus(agent string) bool {
	if pin := r.world().Pinned(); pin != nil {
		for _, one := range []core.RolePin{pin.Supervisor, pin.Executor} {
			if one.Agent == agent {
				return one.MCP == config.MCPOnly
			}
		}
	}
	return r.config.MCP[agent] == config.MCPOnly
}

// editAccepted is how long an edit of ferrus.toml has to stay before it is reported. One by /switch, /model or ferrus
// switch, which hold [project.SwitchLock], is accepted in each task.
const editAccepted = time.Second

// noteEdit reports a ferrus.toml that is not the one the open task began with.
func (r *roles) noteEdit() {
	pin, cfg := r.world().Pinned(), r.config
	if pin == nil || cfg.Hash == "" || cfg.Hash == pin.Config || r.reported == cfg.Hash {
		return
	}
	if r.edited != cfg.Hash {
		r.edited, r.stays = cfg.Hash, false
		r.awaitAcceptance()
	}
	if !r.stays {
		return
	}
	state, err := r.project.World() // What was read before may be older than the edit.
	if pin = state.World.Pinned(); err != nil || pin == nil || pin.Config == config.Hash(r.project.Dir) {
		return
	}
	r.reported = cfg.Hash
	r.notices.Add(true, "%s was edited after the task started: this task keeps its agents, permissions and "+
		"checks, and the edit needs your approval (a switch of its agent or model changes the task, too)", config.File)
}

// awaitAcceptance notes an edit that stays once no command is changing the agents.
func (r *roles) awaitAcceptance() {
	r.loop.After(editAccepted, func() {
		if _, changing, _ := r.project.Main().Files.Holder(project.SwitchLock); changing {
			r.awaitAcceptance()
			return
		}
		r.stays = true
	})
}

// configure reads ferrus.toml, and which of its commands are not trusted here yet.
func (r *roles) configure() {
	r.settings.reload(r.project, r.notices)
	_, lines, err := untrusted(r.project, *r.world())
	r.notices.AddErrorOnce(err)
	r.gate.SetUntrusted(lines)
}

// unknownReset is how long an account counts as used up if its vendor does not say.
const unknownReset = time.Hour

// fallBack gives the task to another agent if one has reached its usage limit. Its slot does not wait
// then, because the other account has no limit yet.
func (r *roles) fallBack(e session.End) {
	until := e.Exit.Limit.Until
	if until.IsZero() {
		until = time.Now().Add(unknownReset)
	}
	if r.usedUp == nil {
		r.usedUp = map[string]time.Time{}
	}
	r.usedUp[e.Agent.Agent] = until
	r.replace(e.Slot.Role(), e.Agent.Agent)
}

// replace gives a role to a fallback of its agent, which has hit its usage limit. It reports whether there is one.
func (r *roles) replace(role machine.Role, agent string) bool {
	command, err := r.project.FallBack(role, func(agent string) bool {
		now := time.Now()
		return now.After(r.usedUp[agent]) && r.limits.IsFree(agent, now) && r.local.Ready(agent) == nil
	})
	if err != nil {
		r.notices.AddOnce(fmt.Sprintf("no other agent can take over from %s: %v", agent, err))
	}
	if err != nil || command == nil || !r.do(*command) {
		return false
	}
	r.notices.Add(false, "the %s is %s now, because %s has hit its usage limit; /switch changes that",
		role, command.Pin.Agent, agent)
	return true
}
