package cli

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"ferrus/hq/core"
	"ferrus/hq/natslink"
	"ferrus/hq/remote"
	"ferrus/store/longtest"
	"ferrus/ui/termtest"
)

// operator issues credentials for a NATS server.
type operator struct {
	t       *testing.T
	url     string
	account nkeys.KeyPair
}

// key makes a key pair, and returns its public key.
func (o *operator) key(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	o.t.Helper()
	pair, err := make()
	o.check(err)
	public, err := pair.PublicKey()
	o.check(err)
	return pair, public
}

func (o *operator) check(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// startNATS starts a real server that wants credentials.
func startNATS(t *testing.T) *operator {
	t.Helper()
	o := &operator{t: t}
	pair, public := o.key(nkeys.CreateOperator)
	claims := jwt.NewOperatorClaims(public)
	var account string
	o.account, account = o.key(nkeys.CreateAccount)
	signed, err := jwt.NewAccountClaims(account).Encode(pair)
	o.check(err)
	accounts := &nats.MemAccResolver{}
	o.check(accounts.Store(account, signed))
	o.url = serveNATS(t, &nats.Options{TrustedOperators: []*jwt.OperatorClaims{claims}, AccountResolver: accounts})
	return o
}

// serveNATS starts a server, and returns its URL.
func serveNATS(t *testing.T, o *nats.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", -1, true, true
	s, err := nats.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server did not start")
	}
	return "nats://" + net.JoinHostPort("127.0.0.1", fmt.Sprint(s.Addr().(*net.TCPAddr).Port))
}

// creds makes the credentials file of a user with permissions.
func (o *operator) creds(dir string, p natslink.Permissions) (file string) {
	o.t.Helper()
	pair, public := o.key(nkeys.CreateUser)
	c := jwt.NewUserClaims(public)
	c.Pub.Allow, c.Sub.Allow = jwt.StringList(p.Publish), jwt.StringList(p.Subscribe)
	signed, err := c.Encode(o.account)
	o.check(err)
	seed, err := pair.Seed()
	o.check(err)
	text, err := jwt.FormatUserConfig(signed, seed)
	o.check(err)
	file = filepath.Join(dir, public[:12]+".creds")
	o.check(os.WriteFile(file, text, 0o600))
	return file
}

// admitsOverNATS configures a project to let ann and bob join over a server.
func admitsOverNATS(t *testing.T, dir, url, creds string) {
	t.Helper()
	toml := fmt.Sprintf("\n[workers]\nnats = %q\njoin = [\"ann@desk\", \"bob@desk\"]\n", url)
	if creds != "" {
		toml += fmt.Sprintf("creds = %q\n", creds)
	}
	f, err := os.OpenFile(filepath.Join(dir, "ferrus.toml"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(toml)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	trust := exec.Command("ferrus", "trust", "--yes")
	trust.Dir = dir
	if out, err := trust.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestJoinOverNATS joins HQs over a real server with credentials and permissions: the first answer
// counts, and the others see who gave it.
func TestJoinOverNATS(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, keys := t.TempDir(), t.TempDir()
	createAskedTask(t, dir)
	o := startNATS(t)
	real, err := filepath.EvalSymlinks(dir)
	o.check(err)
	home := remote.Target{Project: real}.HomeID()
	admitsOverNATS(t, dir, o.url, o.creds(keys, natslink.HomePermissions(home)))
	first := open120(t, dir)
	first.WaitFor("executor asks:")
	as := func(name, creds string) []string {
		return []string{"--join", o.url + "/" + home, "--as", name, "--creds", creds}
	}
	logins := map[string]string{}
	for _, name := range []string{"ann@desk", "bob@desk", "eve@desk"} {
		logins[name] = o.creds(keys, natslink.GuestPermissions(name, home))
	}
	joined := first.Expect("ann@desk has joined from another machine")
	ann := openWith(t, t.TempDir(), 80, 24, nil, as("ann@desk", logins["ann@desk"])...)
	ann.WaitFor("executor asks:")
	joined()
	bob := openWith(t, t.TempDir(), 90, 30, nil, as("bob@desk", logins["bob@desk"])...)
	bob.WaitFor("executor asks:")
	var answered []func() string
	for _, other := range []*termtest.Terminal{first, bob} {
		answered = append(answered, other.Expect("Answered by ann@desk: No, only GET and HEAD."))
	}
	ann.Type("No, only GET and HEAD.\r")
	for _, seen := range answered {
		seen()
	}
	if by := journalOf(t, dir, core.KindAnswer).By; by != "ann@desk" {
		t.Errorf("it was answered by %q", by)
	}
	left := first.Expect("bob@desk has left")
	bob.Type("/quit\r")
	bob.WaitExit(0)
	left()
	if err := ann.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ann.WaitEnd()
	for _, c := range []struct {
		name, creds string
		want        []string
	}{
		{"eve@desk", logins["eve@desk"], []string{"eve@desk is not among those who may join", "[workers]"}},
		{"ann@desk", logins["eve@desk"], []string{"ermissions", "ferrus help workers"}},
		{"ann@desk", o.creds(keys, natslink.WorkerPermissions("big")), []string{"ermissions", "ferrus help workers"}},
	} {
		x := openWith(t, t.TempDir(), 160, 24, nil, as(c.name, c.creds)...)
		x.WaitExit(1)
		for _, want := range c.want {
			if shown := x.ScreenText(); !strings.Contains(shown, want) {
				t.Errorf("%s with %s reads:\n%s\nwant: %s", c.name, c.creds, strings.TrimSpace(shown), want)
			}
		}
	}
	back := openWith(t, t.TempDir(), 80, 24, nil, as("ann@desk", logins["ann@desk"])...)
	back.WaitFor("watching")
	first.Type("\x03\x03")
	first.WaitExit(0)
	back.WaitExit(0)
	back.WaitFor("has ended")
}

// TestJoiningNeedsALogin: over a server that asks for no login, HQ lets no one join.
func TestJoiningNeedsALogin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	url := serveNATS(t, &nats.Options{})
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	home := remote.Target{Project: real}.HomeID()
	admitsOverNATS(t, dir, url, "")
	first := open120(t, dir)
	first.WaitFor("executor asks:")
	x := openWith(t, t.TempDir(), 160, 24, nil, "--join", url+"/"+home, "--as", "ann@desk")
	x.WaitExit(1)
	if shown := x.ScreenText(); !strings.Contains(shown, "asks for no login") {
		t.Errorf("it says:\n%s", shown)
	}
	first.Type("\x03\x03")
	first.WaitExit(0)
}
