package agent

import (
	"slices"
	"strings"

	"ferrus/agent/process"
)

// marker precedes the nonce in an environment.
const marker = process.NonceEnv + "="

// HostMark is the environment variable with the session's id that the host of a session has.
// The session's own processes do not inherit it.
const HostMark = "FERRUS_HOST"

// processes lists all processes with the variables that connect them to a session.
func processes() (process.Table, error) { return process.List(process.NonceEnv, HostMark) }

// carries returns a function that reports whether a nonce belongs to a mark:
// FERRUS_NONCE=<nonce>, or a session id, the first 16 hex digits of the nonce's SHA-256,
// which is all that is ever written to disk.
func carries(mark string) func(nonce string) bool {
	if own, ok := strings.CutPrefix(mark, marker); ok {
		return func(nonce string) bool { return nonce != "" && nonce == own }
	}
	return func(nonce string) bool { return nonce != "" && mark == process.SessionID(nonce) }
}

// hosting returns the hosts of a session.
func hosting(all process.Table, session string) process.Table {
	return slices.DeleteFunc(slices.Clone(all), func(p process.Process) bool {
		return session == "" || p.Env[HostMark] != session
	})
}

// family returns the processes of a session: known ones, ones that carry its nonce, and
// their families. A vendor's daemon does not belong to the session that happened to start it:
// it leads its own session because it is meant to stay.
func family(all process.Table, root int, known process.Table, mine func(nonce string) bool) process.Table {
	return all.Family(process.Family{
		Root: root,
		Mine: func(p process.Process) bool {
			return mine(p.Env[process.NonceEnv]) || slices.ContainsFunc(known, p.Same)
		},
		Apart: func(p process.Process) bool { return daemonVendor(p) != "" },
	})
}
