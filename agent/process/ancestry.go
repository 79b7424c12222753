package process

// maxAncestors bounds how many parents are looked at.
const maxAncestors = 256

// Ancestry returns a process with its parent, the parent of that, and so on up to the
// first process that can be seen. The error is [ErrGone] for a process that ended.
func Ancestry(pid int) (chain []Process, err error) {
	for range maxAncestors {
		p, err := Lookup(pid)
		if err != nil {
			if len(chain) == 0 {
				return nil, err
			}
			break // its parent has ended meanwhile: the chain says where it stopped
		}
		chain = append(chain, p)
		if p.Parent <= 0 || p.Parent == pid {
			break
		}
		pid = p.Parent
	}
	return chain, nil
}

// Namespaces are the namespaces of a process that decide what it sees of others. They are
// empty where the system has none.
type Namespaces struct {
	PID   string `json:"pid,omitempty"`
	Mount string `json:"mnt,omitempty"`
	UTS   string `json:"uts,omitempty"`
	User  string `json:"user,omitempty"`
}
