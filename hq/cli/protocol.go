package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/agent/acp"
	"ferrus/hq/serve"
	"ferrus/machine"
)

// protocolFlags are a session with an agent that speaks the Agent Client Protocol.
type protocolFlags struct {
	permit, servers, prompt, model, resume, dialog string
	ask, cumulative                                bool
}

// protocolCommand speaks the Agent Client Protocol with an agent. A host starts it.
func protocolCommand(std *streams) *cobra.Command {
	var f protocolFlags
	c := &cobra.Command{
		Use: "acp", Short: "Run one turn of an agent that speaks the Agent Client Protocol", Hidden: true,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, command []string) error { return f.run(cmd.Context(), std, command) },
	}
	c.Flags().StringVar(&f.permit, "permit", "read", "what the agent may do: read, all")
	c.Flags().BoolVar(&f.ask, "ask", false, "ask you before it does what needs your permission")
	c.Flags().BoolVar(&f.cumulative, "cumulative", false, "the agent reports the tokens of all turns with each")
	c.Flags().StringVar(&f.servers, "mcp", "[]", "MCP servers, as the protocol spells them")
	c.Flags().StringVar(&f.prompt, "prompt", "", "what it is to do")
	c.Flags().StringVar(&f.model, "model", "", "its model")
	c.Flags().StringVar(&f.dialog, "dialog", "", "read further prompts, and render events by this renderer")
	c.Flags().StringVar(&f.resume, "resume", "", "file that remembers a conversation that was interrupted")
	return c
}

func (f protocolFlags) run(ctx context.Context, std *streams, command []string) error {
	var servers []acp.Server
	if err := json.Unmarshal([]byte(f.servers), &servers); err != nil {
		return fmt.Errorf("read --mcp: %w", err)
	}
	nonce := acp.EnvVariable{Name: "FERRUS_NONCE", Value: os.Getenv("FERRUS_NONCE")}
	for i := range servers { // not all agents pass their environment to servers
		servers[i].Env = append(servers[i].Env, nonce)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	permit := f.answer
	if f.ask {
		asking := newPermissionAsker(dir, f.permit == "all", servers)
		defer asking.close()
		permit = asking.permit
	}
	o := acp.Options{
		Command: command, Dir: dir, Prompt: f.prompt, Model: f.model, Servers: servers, Client: versionString(),
		Cumulative: f.cumulative,
		Resume:     f.resume, Out: drawnOn(std.out), Permit: permit,
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if f.dialog == "" {
		ctx, stop = untilInterrupted(ctx)
		defer stop()
	} else {
		d := newPromptReader(std, agent.RendererOf(f.dialog))
		defer d.close()
		o.Out, o.Dialog = d, acp.Dialog{Next: d.next, Interrupt: d.interrupts}
	}
	if acp.Run(ctx, o) != nil {
		return &exitError{code: codeError} // the last event has printed it
	}
	return nil
}

// answer answers a request for permission by the role of the session.
func (f protocolFlags) answer(_ context.Context, r acp.Request) (acp.Answer, error) {
	if f.permit == "all" || r.ReadOnly("ferrus", serve.ToolNames(machine.Supervisor)) {
		return acp.Answer{Allow: true}, nil
	}
	return acp.Answer{Reason: "this role only reads"}, nil
}
