package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ferrus/agent"
	"ferrus/agent/program"
	"ferrus/hq/config"
)

// configuration looks at ferrus.toml and at the programs that it names.
func (p *inspection) configuration(ctx context.Context) {
	c, err := p.Config()
	var wrong *config.Error
	switch {
	case errors.As(err, &wrong):
		what := "ferrus.toml cannot be used"
		if wrong.Line > 0 {
			what += fmt.Sprintf(", line %d", wrong.Line)
		}
		p.find("configuration", Error, what, wrong.What, wrong.Fix)
		return
	case err != nil:
		what, fix, _ := strings.Cut(err.Error(), "; run: ")
		p.find("configuration", Error, "ferrus.toml cannot be used", what, command(fix))
		return
	}
	p.find("configuration", OK, "ferrus.toml loads", "", "")
	p.checks(ctx, c.Checks)
	p.players(ctx, c)
}

func command(run string) string {
	if run == "" {
		return ""
	}
	return "run: " + run
}

// checks looks for what the gate runs.
func (p *inspection) checks(ctx context.Context, c config.Checks) {
	switch {
	case len(c.Commands) == 0 && c.AllowNone:
		p.find("configuration", Note, "there are no check commands, and checks.allow_none lets work pass unproven", "",
			"")
	case len(c.Commands) == 0:
		p.find("configuration", Warning, "there are no check commands, so no work can be proven", "",
			"add them to [checks] commands in ferrus.toml")
	}
	ok := len(c.Commands) > 0
	for _, each := range c.Commands {
		if word := programOf(each.Run); word != "" && !strings.Contains(word, "/") && !p.known(ctx, word) {
			p.find("configuration", Warning, "a check command cannot be found", fmt.Sprintf("%s of %q", word, each.Run),
				"install it, or correct [checks] commands in ferrus.toml")
			ok = false
		}
	}
	if ok {
		p.find("configuration", OK, fmt.Sprintf("check commands: %d", len(c.Commands)), "", "")
	}
}

// programOf returns the program of a shell command that begins with one plainly.
func programOf(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 ||
		strings.Trim(words[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-+") != "" {
		return ""
	}
	return words[0]
}

// known asks the shell, which has programs of its own, and looks where checks will.
func (p *inspection) known(ctx context.Context, word string) bool {
	_, err := p.output(ctx, "/bin/sh", "-c", `PATH=$2; command -v -- "$1"`, "sh", word, os.Getenv("PATH"))
	return err == nil
}

// players looks for the programs of both roles.
func (p *inspection) players(ctx context.Context, c config.Config) {
	own := map[string]agent.Custom{}
	for name, a := range c.Agent {
		own[name] = agent.Custom(a)
	}
	roles := map[string][]string{}
	for _, r := range []struct {
		role   string
		config config.RoleConfig
	}{{"supervisor", c.HQ.Supervisor}, {"executor", c.HQ.Executor}} {
		roles[r.config.Agent] = append(roles[r.config.Agent], r.role)
		if r.config.Bypass() {
			p.find("agents", Note, r.role+": the agent's own permission checks are off", "", "")
		}
	}
	found := make([]Finding, len(roles))
	versions := make([]string, len(roles))
	names := make([]string, 0, len(roles))
	for name := range roles {
		names = append(names, name)
	}
	slices.Sort(names)
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { found[i], versions[i] = p.checkAgent(ctx, name, strings.Join(roles[name], " and "), own) })
	}
	all.Wait()
	for i, f := range found {
		p.findings = append(p.findings, f)
		p.versions[names[i]] = versions[i]
	}
}

// checkAgent looks for one agent's program. A program of the human's own is not
// run: what it does with --version is not known.
func (p *inspection) checkAgent(ctx context.Context, name, roles string,
	own map[string]agent.Custom) (Finding, string) {
	f := Finding{Area: "agents", Severity: OK}
	a, err := agent.Lookup(name, own)
	if err == nil {
		err = agent.Installed(a)
	}
	if err != nil {
		f.Severity, f.brief, f.Fix = Error, roles+": the agent cannot be started", agent.NotInstalledFix
		f.What = f.brief + ": " + strings.TrimSuffix(err.Error(), "; "+agent.NotInstalledFix)
		return f, ""
	}
	f.brief = roles + ": the agent is installed"
	f.What = roles + ": " + name
	if _, custom := own[name]; custom || a.Binary() == "" {
		return f, ""
	}
	out, err := p.output(ctx, a.Binary(), "--version")
	version := firstLine(out)
	if err != nil || version == "" {
		f.Severity, f.brief, f.Fix = Warning, roles+": the agent does not report its version", "run "+a.Binary()+
			" --version and see why not"
		f.What += " does not report its version"
		if err != nil {
			f.What += ": " + err.Error()
		}
		return f, ""
	}
	f.What += ", " + version
	p.compare(ctx, a, roles, &f)
	return f, version
}

// compare holds what ferrus gives to an agent's program against what that says it
// knows. A help that cannot be read is no fault of it.
func (p *inspection) compare(ctx context.Context, a agent.Adapter, roles string, f *Finding) {
	var help strings.Builder
	for _, args := range agent.HelpArgs(a) {
		page, err := p.output(ctx, a.Binary(), args...)
		if err != nil || page == "" {
			f.What += "; its help cannot be read, so its options were not checked"
			return
		}
		help.WriteString(page)
	}
	if unknown := agent.UnknownFlags(a, help.String()); len(unknown) > 0 {
		f.Severity, f.brief = Warning, roles+": the agent's help does not list options that ferrus uses"
		f.What += ": its help does not list " + strings.Join(unknown, ", ") + ", which ferrus uses"
		f.Fix = "install a release that ferrus was tested with: " + agent.InstallCommand(a)
	}
}

func firstLine(out string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return line[:min(len(line), 80)]
}

// output returns what a program prints, or what it says on its error output where it prints
// nothing, as some do of their help. It runs for as long as there is patience, and all of it is
// ended then.
func (p *inspection) output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, p.options.Patience)
	defer stop()
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "FERRUS_") })
	c := program.Command(ctx, env, name, args...)
	c.Dir = p.Dir
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if len(out) == 0 && err == nil {
		out = stderr.Bytes()
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%s took longer than %s", name, p.options.Patience)
	}
	return string(out[:min(len(out), 64<<10)]), err
}
