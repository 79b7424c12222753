package process

// maxAncestors bounds how many parents are looked at.
const maxAncestors = 256

// maxWalks is how often a way up is begun again whose middle ended meanwhile.
const maxWalks = 8

// Ancestry returns a process with its parent, the parent of that, and so on up to the
// first process that can be seen. The error is [ErrGone] for a process that ended.
func Ancestry(pid int) (chain []Process, err error) { return ancestry(pid, Lookup) }

// ancestry is like [Ancestry] with a way to look processes up. A parent that ends while it is
// looked for has left its children to another process, so the way is begun again.
func ancestry(pid int, lookup func(int) (Process, error)) (chain []Process, err error) {
	for range maxWalks {
		broken := false
		if chain, broken, err = walkUp(pid, lookup); !broken {
			break
		}
	}
	return chain, err
}

func walkUp(pid int, lookup func(int) (Process, error)) (chain []Process, broken bool, err error) {
	for range maxAncestors {
		p, err := lookup(pid)
		if err != nil && len(chain) == 0 {
			return nil, false, err
		}
		if err != nil {
			return chain, true, nil
		}
		chain = append(chain, p)
		if p.Parent <= 0 || p.Parent == pid {
			break
		}
		pid = p.Parent
	}
	return chain, false, nil
}

// Namespaces are the namespaces of a process that decide what it sees of others. They are
// empty where the system has none.
type Namespaces struct {
	PID   string `json:"pid,omitempty"`
	Mount string `json:"mnt,omitempty"`
	UTS   string `json:"uts,omitempty"`
	User  string `json:"user,omitempty"`
}
