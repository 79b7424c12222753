package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"syscall"
)

// marker is the variable that every process of a session inherits.
const marker = "FERRUS_NONCE="

// HostMark is the variable that the host of a session has, with the session's
// id. The session's own processes do not inherit it.
const HostMark = "FERRUS_HOST"

// process is one process as the system lists it. Its number alone is used again;
// number and start are not.
type process struct {
	pid, parent, group, session int
	start                       uint64
	dead                        bool   // a zombie
	nonce                       string // of the session it was started in, where it can be read
	host                        string // id of the session that it hosts, if it does
	daemon                      string // the vendor whose daemon it is, if it is one
}

func (p process) same(other process) bool { return p.pid == other.pid && p.start == other.start }

// carries returns whether a nonce is the one of a marker: FERRUS_NONCE=<nonce>,
// or a session id, the first 16 hex digits of the nonce's SHA-256, which is all
// that is ever written down.
func carries(mark string) func(nonce string) bool {
	if own, ok := strings.CutPrefix(mark, marker); ok {
		return func(nonce string) bool { return nonce != "" && nonce == own }
	}
	return func(nonce string) bool { return nonce != "" && mark == SessionID(nonce) }
}

// hosting returns the hosts of a session.
func hosting(all []process, session string) []process {
	var hosts []process
	for _, p := range all {
		if p.host != "" && p.host == session {
			hosts = append(hosts, p)
		}
	}
	return hosts
}

// SessionID is the public name of a nonce: the first 16 hex digits of its SHA-256.
func SessionID(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:8])
}

func find(all []process, pid int) []process {
	i := slices.IndexFunc(all, func(p process) bool { return p.pid == pid })
	if i < 0 {
		return nil
	}
	return all[i : i+1]
}

// family returns the living processes that belong together: those that are known
// or carry the mark, their descendants, and the group and session of root as
// long as one of ours is in it, for so long the number is not another's. A root
// of 0 or 1 is no session's: every process of the system may be in session 0.
// A vendor's daemon does not belong to the session that happened to start it.
func family(all []process, root int, known []process, mine func(nonce string) bool) []process {
	in, left := map[int]bool{}, shared(all)
	var group, session bool
	add := func(p process) {
		in[p.pid] = true
		group, session = group || root > 1 && p.group == root, session || root > 1 && p.session == root
	}
	for _, p := range all {
		if !left[p.pid] && (mine(p.nonce) || slices.ContainsFunc(known, p.same)) {
			add(p)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && !left[p.pid] && (in[p.parent] || group && p.group == root || session && p.session == root) {
				add(p)
				grown = true
			}
		}
	}
	spared := ancestors(all, os.Getpid())
	return slices.DeleteFunc(slices.Clone(all), func(p process) bool { return !in[p.pid] || p.dead || spared[p.pid] })
}

// ancestors are never ended, whatever they carry: ferrus may run inside ferrus.
func ancestors(all []process, pid int) map[int]bool {
	spared := map[int]bool{0: true, 1: true}
	for pid > 1 && !spared[pid] {
		spared[pid] = true
		for _, p := range find(all, pid) {
			pid = p.parent
		}
	}
	return spared
}

// send signals exactly the process that was listed. Where the system has a
// handle for a process, that is taken before its identity is checked.
func (p process) send(sig syscall.Signal) error {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return err
	}
	defer handle.Release()
	if now, ok := look(p.pid); !ok || !now.same(p) {
		return os.ErrProcessDone
	}
	return handle.Signal(sig)
}
