package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ferrus/agent/sandbox"
	"ferrus/hq/advice"
	"ferrus/hq/project"
	"ferrus/hq/wire"
)

// Hosts knows which hosts the sessions of a task may reach, and asks you about others.
type Hosts interface {
	// Reaches reports whether you allowed a host. The first request is put into your inbox.
	Reaches(by, host string) bool
	// Asked returns the hosts that were asked for, with what you answered.
	Asked() []advice.AskedHost
}

// HostsOf returns those of a task.
func HostsOf(t *project.Task) Hosts { return taskHosts{t} }

type taskHosts struct{ *project.Task }

func (t taskHosts) Asked() []advice.AskedHost {
	s, err := t.World()
	if err != nil {
		return nil // they are asked for again
	}
	return t.AskedHosts(s.World)
}

// askHost asks you about a host that the session on the worker was refused. It returns what the worker did against the
// protocol.
func (v *shown) askHost(host string) error {
	if v.asked++; v.asked > wire.MaxSessionHosts || !project.IsHost(host) {
		return &wire.Violation{What: "asked for hosts that a session cannot ask for"}
	}
	v.hosts.Reaches(fmt.Sprintf("the %s on the worker %s", v.Start.Slot, v.Name), host)
	return nil
}

// answerPeriod is how soon the worker hears of an answer.
const answerPeriod = time.Second

// sendAnswers sends what you answer about hosts, until the session ends.
func (v *shown) sendAnswers(ctx context.Context) {
	if v.Start.Sandbox.Sessions != string(sandbox.Proxied) {
		return
	}
	tick := time.NewTicker(answerPeriod)
	defer tick.Stop()
	for sent := map[string]bool{}; ; {
		for _, a := range v.hosts.Asked() {
			allowed := a.Answer == advice.HostTask || a.Answer == advice.HostAlways
			if was, known := sent[a.Host]; a.Answer == "" || known && was == allowed {
				continue
			}
			body, err := json.Marshal(wire.Reach{Host: a.Host, Allowed: allowed})
			if err == nil {
				err = v.channel.Send(ctx, append([]byte{wire.ToolsReach, 0, 0, 0, 0}, body...))
			}
			if err != nil {
				return
			}
			sent[a.Host] = allowed
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
