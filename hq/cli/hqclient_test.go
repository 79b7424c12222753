package cli

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muesli/cancelreader"

	"ferrus/hq/host"
	"ferrus/hq/human"
	"ferrus/hq/join"
	"ferrus/hq/project"
	"ferrus/hq/tui"
	"ferrus/store/longtest"
)

// TestASecondHQAttaches opens a second HQ: it shows the same at its own size, the first one carries
// out what you do there, and either can be killed at any moment.
func TestASecondHQAttaches(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createDemoTask(t, dir)
	first := open120(t, dir)
	first.WaitFor("executor asks:")
	killed := openWith(t, dir, 80, 24, nil)
	killed.WaitFor("executor asks:")
	killed.WaitFor("watching")
	if first, _, _ := strings.Cut(killed.ScreenText(), "\n"); !strings.Contains(first, "  watching  ") {
		t.Errorf("it is not at its place: %s", first)
	}
	first.WaitFor("Another HQ is watching from")
	killed.Resize(100, 30)
	killed.Type("/nonsense\r")
	killed.WaitFor("Unknown command /nonsense")
	if strings.Contains(first.ScreenText(), "/nonsense") {
		t.Errorf("the first shows what is typed in the second:\n%s", first.ScreenText())
	}
	if err := killed.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.WaitEnd()
	first.WaitFor("has left")

	leaves := openWith(t, dir, 80, 24, nil)
	leaves.WaitFor("executor asks:")
	leaves.Type("/quit\r")
	leaves.WaitEnd()
	leaves.WaitFor("stopped watching; HQ continues in process")

	second := openWith(t, dir, 90, 28, nil)
	second.WaitFor("executor asks:")
	second.Type("No, only GET and HEAD.\r")
	second.Wait("the executor submits", func() bool { return state(t, dir).Submission != nil })
	if err := first.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	second.WaitFor("open HQ here?")
	second.Type("\r")
	second.WaitFor(" ferrus  ")
	second.Wait("it is the first", func() bool { _, held, err := openLock(dir); return held && err == nil })
	if shown := second.ScreenText(); strings.Contains(shown, "watching") {
		t.Errorf("it watches itself:\n%s", shown)
	}
	second.Type("\x03\x03")
	second.WaitExit(0)
}

// Only a process on a terminal of its own may attach to an HQ.
func TestOnlyATerminalAttaches(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir := t.TempDir()
	createAskedTask(t, dir)
	first := open120(t, dir)
	first.WaitFor("executor asks:")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := host.ConnectScreen(real)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := greetHQ(conn, attachHello{Columns: 80, Rows: 24}); err == nil {
		t.Error("a process without a terminal attaches")
	}
	command := exec.Command("ferrus") // and has none of its own as an HQ either
	command.Dir = dir
	if out, err := command.CombinedOutput(); err == nil {
		t.Errorf("it opens: %s", out)
	}
	if strings.Contains(first.ScreenText(), "is watching") {
		t.Errorf("it shows a client:\n%s", first.ScreenText())
	}
	first.Type("\x03\x03")
	first.WaitExit(0)
	if _, held, err := openLock(dir); held || err != nil {
		t.Errorf("the lock is held: %v, %v", held, err)
	}
}

// openLock reports whether an HQ holds the project.
func openLock(dir string) (pid int, held bool, err error) {
	p, err := openAt(dir)
	if err != nil {
		return 0, false, err
	}
	return p.Store.Holder(project.ConductorLock)
}

// TestNoSessionAttaches starts an HQ in an agent's terminal: it is refused, and says so.
func TestNoSessionAttaches(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	dir, env := echoProject(t, "[sandbox]\nmode = \"off\"\n") // inside, the project's sockets are not there
	const agent = "ferrus; echo ended $?; exec cat\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "agent.sh"), []byte(agent), 0o644); err != nil {
		t.Fatal(err)
	}
	x := openWith(t, dir, 120, 40, env)
	x.WaitFor("No task yet")
	x.Type("/executor\r")
	x.WaitFor("it was started inside an agent session")
	x.WaitFor("ended 1")
	if shown := x.ScreenText(); strings.Contains(shown, "is watching") {
		t.Errorf("it attaches:\n%s", shown)
	}
	x.Type("\x1b[24~\x03\x03") // F12
	x.WaitExit(0)
}

// TestAnAttachedTerminalIsNeverFarBehind checks that the output in transit to a terminal that reads
// nothing is bounded, so that a slow one shows the newest frames.
func TestAnAttachedTerminalIsNeverFarBehind(t *testing.T) {
	t.Parallel()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	there, err := net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	here, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	guests, over := make(chan tui.Client), make(chan struct{})
	go func() {
		defer close(over)
		yours := func(int) human.Finding { return human.Finding{Standing: human.Own} }
		admitClient(t.Context(), here, yours, guests)
	}()
	greeted := make(chan error, 1)
	go func() { _, err := greetHQ(there, attachHello{Columns: 80, Rows: 24}); greeted <- err }()
	guest := <-guests
	if err := <-greeted; err != nil {
		t.Fatal(err)
	}
	if err := here.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n := 0
	for frame := make([]byte, 1<<10); ; {
		wrote, err := guest.Out.Write(frame)
		if n += wrote; err != nil {
			break
		}
	}
	if n == 0 || n > 4*maxUnderWay {
		t.Errorf("%d bytes are under way", n)
	}
	there.Close()
	<-over
}

// TestWhatIsTypedTooLateEndsNothing checks that the last output of an HQ is read even if something
// is typed after that HQ closed its end.
func TestWhatIsTypedTooLateEndsNothing(t *testing.T) {
	t.Parallel()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hq, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(hq, tui.ClientLeft); err != nil {
		t.Fatal(err)
	}
	if err := hq.Close(); err != nil {
		t.Fatal(err)
	}
	typed := &typedOnce{sent: make(chan struct{}), canceled: make(chan struct{})}
	from := io.MultiReader(waitFor(typed.sent), conn)
	if left, _ := showHQ(t.Context(), join.OverFrames(from, conn), io.Discard, typed); !left {
		t.Error("you detached, but the HQ is reported to have ended")
	}
}

// typedOnce is a terminal in which one key is typed. Sent is closed when that key was sent on.
type typedOnce struct {
	typed          bool
	sent, canceled chan struct{}
}

func (r *typedOnce) Read(p []byte) (int, error) {
	if !r.typed {
		r.typed = true
		return copy(p, "x"), nil
	}
	close(r.sent)
	<-r.canceled
	return 0, cancelreader.ErrCanceled
}

func (r *typedOnce) Cancel() bool {
	close(r.canceled)
	return true
}

func (r *typedOnce) Close() error { return nil }

// waitFor is an empty input that ends when c is closed, or after a second.
type waitFor <-chan struct{}

func (c waitFor) Read([]byte) (int, error) {
	select {
	case <-c:
	case <-time.After(time.Second):
	}
	return 0, io.EOF
}
