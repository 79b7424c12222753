// Package serve is the MCP server that agents reach ferrus through.
package serve

import (
	"context"
	"errors"
	"io"

	"ferrus/hq"
	"ferrus/hq/project"
	"ferrus/machine"
)

// Options say for whom a server speaks and over what.
type Options struct {
	Project   *project.Project
	Role      machine.Role // empty: both roles
	Mode      hq.Mode      // empty: free
	AgentName string       // middle of the agent id: codex
	Index     int
	Nonce     string // FERRUS_NONCE; empty: a session of its own
	WaitSecs  int    // FERRUS_WAIT_SECS, the client's cap; 0: none
	Version   string
	In        io.Reader
	Out       io.Writer
	Log       io.Writer // never Out; nil: nothing is logged
}

// Run serves until In ends or ctx does.
func Run(ctx context.Context, o Options) error { return errors.New("serve: not built yet") }
