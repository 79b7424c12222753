package agent

import (
	"strconv"
	"strings"
	"time"
)

// parseProcesses reads what ps says where there is no /proc: pid, parent, group,
// state, start in five words, then the command and, for our own processes, the
// environment. Sessions are not told apart there: a daemon leads a group.
func parseProcesses(out string) []process {
	var all []process
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 9 {
			continue
		}
		started, err := time.Parse("Mon Jan _2 15:04:05 2006", strings.Join(fields[4:9], " "))
		pid, bad := strconv.Atoi(fields[0])
		if err != nil || bad != nil {
			continue
		}
		p := process{pid: pid, start: uint64(started.Unix()), dead: strings.HasPrefix(fields[3], "Z")}
		p.parent, _ = strconv.Atoi(fields[1])
		p.group, _ = strconv.Atoi(fields[2])
		if p.group == p.pid {
			p.daemon = daemonOf(fields[9:])
		}
		for _, word := range fields[9:] {
			if nonce, ok := strings.CutPrefix(word, marker); ok {
				p.nonce = nonce
			}
			if session, ok := strings.CutPrefix(word, HostMark+"="); ok {
				p.host = session
			}
		}
		all = append(all, p)
	}
	return all
}
