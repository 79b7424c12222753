package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	account "os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"ferrus/hq/host"
	"ferrus/hq/join"
	"ferrus/hq/natslink"
	"ferrus/hq/project"
	"ferrus/hq/sshlink"
	"ferrus/hq/wire"
	"ferrus/ui/text/lazyregexp"
)

// joinTarget is the HQ on another machine that `ferrus --join` shows.
type joinTarget struct {
	url  string // as you gave it
	ssh  sshlink.Options
	nats natsHQ // where it is not reached by ssh
	name string // of the machine, or of the home
	dir  string // of the project there
}

const joinHint = "give the machine and the directory: ferrus --join ssh://me@big/home/me/project"

// joinFlags are what you say of where to join.
type joinFlags struct {
	url string
	natslink.Server
	as string
}

func (j *joinFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&j.url, "join", "", "show the HQ of a project at this `address` on another machine: "+
		"ssh://[user@]host[:port]/dir, or nats://host:port/home")
	f.StringVar(&j.Creds, "creds", "", "for --join: the credentials `file` for the NATS server")
	f.StringVar(&j.CA, "ca", "", "for --join: the `file` with the certificate of the NATS server's authority")
	f.StringVar(&j.as, "as", "", "for --join: your `name` on the NATS server (default: user@host of this machine)")
	for _, flag := range []string{"creds", "ca"} {
		_ = c.MarkFlagFilename(flag)
	}
}

// parse reads the flags.
func (j *joinFlags) parse() (joinTarget, error) {
	if scheme, _, _ := strings.Cut(j.url, "://"); slices.Contains([]string{"nats", "tls", "ws", "wss"}, scheme) {
		return j.parseNATS()
	}
	if j.Creds+j.CA+j.as != "" {
		return joinTarget{}, misuse("--creds, --ca and --as are for a NATS server", natsHint)
	}
	return parseJoin(j.url)
}

// parseJoin reads the URL of --join over ssh.
func parseJoin(s string) (joinTarget, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return joinTarget{}, misuse(fmt.Sprintf("--join: %v", err), joinHint)
	case u.Scheme != "ssh":
		return joinTarget{}, misuse(fmt.Sprintf("--join takes a URL that starts with ssh:// or nats://, got %q", s),
			joinHint)
	case u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-"):
		return joinTarget{}, misuse(fmt.Sprintf("--join: %q names no machine", s), joinHint)
	case strings.Trim(u.Path, "/") == "" || u.RawQuery != "" || u.Fragment != "":
		return joinTarget{}, misuse(fmt.Sprintf("--join: %q names no directory", s), joinHint)
	}
	t := joinTarget{url: s, name: u.Hostname(), dir: u.Path}
	destination := u.Hostname()
	if name := u.User.Username(); name != "" {
		destination = name + "@" + destination
	}
	if _, secret := u.User.Password(); secret {
		return joinTarget{}, misuse("--join takes no password: your ssh asks for it", joinHint)
	}
	t.ssh = sshlink.Options{
		Destination: destination, Port: u.Port(), Terminal: true, Greeting: join.Greeting,
		Command: sshlink.Shell("join " + quotePath(t.dir)),
	}
	return t, nil
}

// quotePath writes a path so that no shell changes it.
func quotePath(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if strings.IndexByte("/._-", c) >= 0 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// openJoined shows the HQ of another machine in this terminal.
func openJoined(ctx context.Context, std *streams, where *joinFlags) error {
	t, err := where.parse()
	if err != nil {
		return err
	}
	if err := std.requireTerminal(os.Getenv("TERM")); err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	hq, err := t.enter(ctx)
	if ctx.Err() != nil {
		return interruption("interrupted")
	}
	if err != nil {
		return err
	}
	defer hq.Close()
	left, why, err := takeTerminal(ctx, std, hq, join.NewFilter(drawnOn(std.out)))
	switch {
	case err != nil:
		return err
	case left:
		fmt.Fprintf(std.out, "you have left the HQ on %s; it continues there\n", t.name)
		return nil
	case errors.Is(why, io.EOF):
		fmt.Fprintf(std.out, "the HQ on %s has ended; once one is open there again: ferrus --join %s\n", t.name, t.url)
		return nil
	}
	return failure(fmt.Sprintf("the connection to the HQ on %s is lost: %v", t.name, why),
		"HQ and its sessions keep running there; join again: ferrus --join "+t.url)
}

// enter connects, and opens a screen.
func (t joinTarget) enter(ctx context.Context) (join.Conn, error) {
	columns, rows, err := term.GetSize(os.Stdin.Fd())
	if err != nil {
		return nil, fmt.Errorf("ask the terminal for its size: %w", err)
	}
	build, _, err := buildOf()
	if err != nil {
		return nil, err
	}
	terminal := join.Terminal{Columns: columns, Rows: rows, Environ: environ(lookEnviron)}
	if t.nats.home != "" {
		return t.enterNATS(ctx, build, terminal)
	}
	link, err := sshlink.Dial(ctx, t.ssh)
	if err != nil {
		return nil, t.explain(err)
	}
	hq, err := join.Enter(ctx, link, join.Hello{Build: build, Who: whoAmI()}, terminal)
	if err != nil {
		link.Close() //nolint:errcheck // it ends
		return nil, t.explain(err)
	}
	return hq, nil
}

// The codes of shells and of ferrus for what did not begin.
const (
	codeNotFound = 127
	codeSSH      = 255
)

// explain says what went wrong, and what to do.
func (t joinTarget) explain(err error) error {
	what := "join the HQ in " + t.dir + " on " + t.name + ": "
	copies := fmt.Sprintf("copy this one there: scp %s%q %s:.local/bin/ferrus",
		t.portOption(), executableHere(), t.ssh.Destination)
	var failed *sshlink.FailedError
	var refused *wire.Refused
	var other *join.OtherBuildError
	switch {
	case errors.As(err, &failed) && failed.Code == codeNotFound:
		return failure(what+"ferrus is not installed there, neither on PATH nor in ~/.local/bin",
			copies+"; then open HQ there")
	case errors.As(err, &failed) && failed.Code == codeUsage:
		return failure(what+"the ferrus there is too old to be joined",
			copies+"; then open HQ there again")
	case errors.As(err, &failed) && failed.Code == codeSSH:
		return failure(what+failed.Error(), "make this work first: ssh "+t.portOption()+t.ssh.Destination)
	case errors.As(err, &other):
		return failure(what+other.Error(), copies+"; then open HQ there again")
	case errors.As(err, &refused):
		return explainRefusal(what, refused)
	}
	return failure(what + err.Error())
}

// explainRefusal says why the other end refuses, and what to do.
func explainRefusal(what string, refused *wire.Refused) error {
	why, hint, _ := strings.Cut(refused.Why, hintMark)
	if hint == "" {
		return failure(what + why)
	}
	return failure(what+why, hint)
}

// portOption gives ssh and scp the port of the URL, with a blank after it. Each has another letter for it, but
// both take it as a line of ssh's configuration.
func (t joinTarget) portOption() string {
	if t.ssh.Port == "" {
		return ""
	}
	return "-o Port=" + t.ssh.Port + " "
}

func executableHere() string {
	path, err := os.Executable()
	if err != nil {
		return "ferrus"
	}
	return path
}

// notInNames is what the name of a user or a machine does not have.
var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// whoAmI returns the name under which you join: user@host.
func whoAmI() string {
	name, machine := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME")), "here"
	if u, err := account.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		machine, _, _ = strings.Cut(h, ".")
	}
	name, machine = notInNames.ReplaceAllString(name, "-"), notInNames.ReplaceAllString(machine, "-")
	return name[:min(len(name), 40)] + "@" + machine[:min(len(machine), 60)]
}

// hintMark divides a reason from what to do about it.
const hintMark = "; hint: "

// joinCommand returns the other end of --join: it runs where HQ does, over ssh.
func joinCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "join", Short: "Show the HQ of this machine at the other end of standard input and output", Hidden: true,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := url.PathUnescape(args[0])
			if err != nil {
				return err
			}
			return serveJoin(cmd.Context(), std, dir)
		},
	}
}

// serveJoin answers a machine that joins the HQ of a directory, until it is gone.
func serveJoin(ctx context.Context, std *streams, dir string) error {
	build, _, err := buildOf()
	if err != nil {
		return err
	}
	if std.canAsk { // ssh's terminal: what passes through it is not typed
		if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
			return fmt.Errorf("take the terminal: %w", err)
		}
	}
	if _, err := io.WriteString(drawnOn(std.out), join.Greeting); err != nil {
		return err
	}
	h := &join.Host{Build: build, Open: func(_ context.Context, who string, t join.Terminal) (join.Conn, error) {
		return openScreen(dir, who, t)
	}}
	_ = h.Serve(ctx, wire.Bytes(std.in, closeless{drawnOn(std.out)})) // who is gone needs no reason
	return nil
}

// closeless is a stream that stays open until the process ends.
type closeless struct{ io.Writer }

func (closeless) Close() error { return nil }

// openScreen opens a screen of the HQ of a project on this machine. The error says what to do.
func openScreen(dir, who string, t join.Terminal) (join.Conn, error) {
	if below, ok := strings.CutPrefix(dir, "/~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, below)
	}
	top, err := project.Find(dir)
	if err != nil {
		return nil, errors.New("there is no ferrus project" + hintMark + "name the directory that has .ferrus in it; " +
			"a path that begins with /~/ starts in your home there")
	}
	p, err := openAt(top)
	if err != nil {
		return nil, err
	}
	conn, err := host.ConnectScreen(p.Dir)
	if err != nil {
		return nil, noScreen(p)
	}
	from, err := greetHQ(conn, attachHello{Columns: t.Columns, Rows: t.Rows, Environ: t.Environ, Who: who})
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("HQ refuses: %w"+hintMark+"the ssh server there must allow terminals, "+
			"and HQ must run as the same user, outside a container", err)
	}
	return join.OverFrames(from, conn), nil
}

// noScreen says why a project has no screen to join.
func noScreen(p *project.Task) error {
	if pid, held, err := p.Store.Holder(project.ConductorLock); err == nil && held {
		return fmt.Errorf("process %d is running it without a screen"+hintMark+
			"it is ferrus run: join once HQ is open there", pid)
	}
	return errors.New("no HQ is open there" + hintMark + "open it there, in tmux for example: cd " + p.Dir +
		" && ferrus")
}
