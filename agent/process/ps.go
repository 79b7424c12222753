package process

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// parsePS reads what ps says where there is no /proc: pid, parent, group, session,
// state, start in five words, then the command and, for our own processes, the
// environment. Lines that are none are left out.
func parsePS(out string, variables []string) Table {
	var table Table
	for line := range strings.Lines(out) {
		if p, ok := parsePSLine(strings.Fields(line), variables); ok {
			table = append(table, p)
		}
	}
	return table
}

func parsePSLine(fields []string, variables []string) (p Process, ok bool) {
	if len(fields) < 10 {
		return p, false
	}
	started, err := time.Parse("Mon Jan _2 15:04:05 2006", strings.Join(fields[5:10], " "))
	if err != nil {
		return p, false
	}
	if p.PID, err = strconv.Atoi(fields[0]); err != nil {
		return p, false
	}
	p.Parent, _ = strconv.Atoi(fields[1])
	p.Group, _ = strconv.Atoi(fields[2])
	p.Session, _ = strconv.Atoi(fields[3]) // some print an address, which is no number
	p.Zombie = strings.HasPrefix(fields[4], "Z")
	p.Start, p.args = uint64(started.Unix()), fields[10:]
	for _, word := range p.args {
		p.addEnvironment(word, variables)
	}
	return p, true
}

// addEnvironment takes an entry of the environment whose name is one of variables.
func (p *Process) addEnvironment(entry string, variables []string) {
	name, value, ok := strings.Cut(entry, "=")
	if !ok || !slices.Contains(variables, name) {
		return
	}
	if p.Env == nil {
		p.Env = map[string]string{}
	}
	p.Env[name] = value
}
