package worker

import (
	"encoding/json"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/project"
	"ferrus/hq/wire"
)

// hostsPeriod is how soon home hears of a host that a session was refused.
const hostsPeriod = time.Second

// reportHosts reports the hosts that the sessions of a task were refused, until this one ends: home asks you.
func (t *tools) reportHosts(of *project.Task) {
	tick := time.NewTicker(hostsPeriod)
	defer tick.Stop()
	for reported := map[string]bool{}; ; {
		state, err := of.World()
		for _, a := range of.AskedHosts(state.World) {
			if err != nil || a.Answer != "" || reported[a.Host] || len(reported) >= wire.MaxSessionHosts {
				continue
			}
			reported[a.Host] = true
			if t.channel.Send(t.ctx, message(wire.ToolsHost, 0, []byte(a.Host))) != nil {
				return
			}
		}
		select {
		case <-t.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// reach notes an answer of home about a host, which the proxies of the task's sessions follow from then on.
func reach(of *project.Task, body []byte) {
	var r wire.Reach
	if json.Unmarshal(body, &r) != nil || !project.IsHost(r.Host) {
		return
	}
	answer := advice.HostNo
	if r.Allowed {
		answer = advice.HostTask
	}
	_, _ = of.AnswerHost(r.Host, answer) // without it, the host stays refused
}
