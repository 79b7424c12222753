package agent

import (
	"fmt"
	"strings"
)

func init() {
	register(codex{}, "executor")
	nested = append(nested, "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID")
}

// codex is Codex. All it needs goes on its command line, where a value is TOML
// and the key of a table cannot be quoted. It hands nothing of its environment
// on to MCP servers but what env_vars names. Models of its own cut a call that
// takes more than 30 s.
type codex struct{}

func (codex) Name() string       { return "codex" }
func (codex) Binary() string     { return "codex" }
func (codex) WaitSecs() int      { return 25 }
func (codex) Renderer() Renderer { return newThread() }

func (c codex) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	args := []string{"exec", "--json"}
	if l.Interactive {
		args = []string{"--no-daemon"} // which would outlive the session
	}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	args = append(args, c.permissions(l)...)
	if l.Interactive {
		args = append(args, "-c", "projects="+c.trusted(l))
	}
	args = append(args, "-c", "mcp_servers.ferrus="+c.entry(l))
	if l.Prompt != "" {
		args = append(args, l.Prompt)
	}
	return Invocation{Path: c.Binary(), Args: args, Env: l.env(), Headless: !l.Interactive}, nil
}

func (codex) permissions(l Launch) []string {
	sandbox, approval := "read-only", "never"
	switch {
	case l.Bypass:
		return []string{"--dangerously-bypass-approvals-and-sandbox"}
	case l.Role == "executor":
		sandbox = "workspace-write"
	case l.Interactive && l.Mode != "review" && l.Mode != "consult":
		approval = "on-request" // a person sits before it
	}
	return []string{"-s", sandbox, "-c", "approval_policy=" + quoted(approval)}
}

// trusted answers the question whether the folder is trusted, which a person did
// by starting ferrus there.
func (codex) trusted(l Launch) string {
	tables := quoted(l.Project) + `={trust_level="trusted"}`
	if l.Workspace != "" && l.Workspace != l.Project {
		tables += "," + quoted(l.Workspace) + `={trust_level="trusted"}`
	}
	return "{" + tables + "}"
}

func (c codex) entry(l Launch) string {
	s := l.server(c)
	return "{" + strings.Join([]string{
		"command=" + quoted(s.Command),
		"args=" + quoted(s.Args),
		fmt.Sprintf("env={FERRUS_PROJECT=%s,FERRUS_WAIT_SECS=%s}", quoted(l.Project), quoted(l.wait(c))),
		`env_vars=["FERRUS_NONCE"]`,
		`default_tools_approval_mode="approve"`,
		"required=true",
		"startup_timeout_sec=30",
		fmt.Sprint("tool_timeout_sec=", endless),
	}, ",") + "}"
}
