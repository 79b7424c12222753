package sandbox

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/store/longtest"
)

var generate = flag.Bool("generate", false, "write the table of escapes into SECURITY")

// leaked is the descriptor of your home that the program that starts the sandbox has open.
const leaked = 3

// plan is what the two programs of the test are to do.
type plan struct {
	Base   string
	Column int
	Names  []string
	World  json.RawMessage `json:",omitempty"`
}

// outcome is what came of one escape.
type outcome struct {
	Name     string
	Happened bool
	Reason   string
}

// allEscapes are all of them, in the order of the table.
var allEscapes []escape

func init() {
	allEscapes = slices.Concat(escapes, laterEscapes, newestEscapes, freshEscapes, portEscapes, lastEscapes,
		sessionEscapes)
	commands["escapes-outside"] = tryOutside
	commands["escapes-inside"] = tryInside
}

// TestEscapes tries what a program inside must not do, or can do, in each kind of walls, as
// an ordinary user and, where it can, as root. -short and the usual run try some of them, drawn anew each time.
func TestEscapes(t *testing.T) {
	names := make([]string, 0, len(escapes))
	for _, e := range allEscapes {
		names = append(names, e.name)
	}
	if !longtest.On() {
		part := 4
		if testing.Short() {
			part = 12
		}
		seed := rand.Uint64()
		t.Logf("a sample by seed %d; FERRUS_LONG=1 tries all", seed)
		draw := rand.New(rand.NewPCG(seed, 0))
		names = slices.DeleteFunc(names, func(string) bool { return draw.IntN(part) > 0 })
	}
	for i, c := range columns {
		t.Run(c.title, func(t *testing.T) {
			w := walls(t, c.kind, c.network)
			for _, o := range tryAll(t, i, names, false) {
				checkOutcome(t, w, i, o, nil)
			}
		})
	}
	for i, c := range columns {
		if os.Getuid() != 0 || c.kind == None || testing.Short() {
			continue
		}
		t.Run(c.title+" as root", func(t *testing.T) {
			w := walls(t, c.kind, c.network)
			for _, o := range tryAll(t, i, names, true) {
				checkOutcome(t, w, i, o, asRoot)
			}
		})
	}
}

// checkOutcome compares what happened with the table, or what is otherwise.
func checkOutcome(t *testing.T, w Walls, column int, o outcome, other map[string]string) {
	t.Helper()
	at := slices.IndexFunc(allEscapes, func(e escape) bool { return e.name == o.Name })
	opens := allEscapes[at].opens
	if differs, ok := other[o.Name]; ok {
		opens = differs
	}
	want := opens[column]
	if want == 's' { // Landlock closes sockets from ABI 9 on.
		want = 'x'
		if w.ABI >= abiSockets {
			want = '.'
		}
	}
	if want != '?' && (want == 'x') != o.Happened {
		t.Errorf("%s: happened %v, want %c (%s)", o.Name, o.Happened, want, o.Reason)
	}
}

// tryAll runs the escapes in one sandbox, as a user without privileges or as this one.
func tryAll(t *testing.T, column int, names []string, root bool) []outcome {
	t.Helper()
	base, err := os.MkdirTemp("", "ferrus-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	program := filepath.Join(base, "ferrus")
	copyProgram(t, program)
	data, err := json.Marshal(plan{Base: base, Column: column, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "escapes-outside", string(data))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SECRET=of the environment"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // one escape signals the group
	if os.Getuid() == 0 && !root {
		for _, own := range []string{base, program} { // as one in ~/.local/bin does
			if err := os.Chown(own, unprivileged, unprivileged); err != nil {
				t.Fatal(err)
			}
		}
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
		delegate(t, cmd, unprivileged)
	}
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, 10*time.Second
	out, err := cmd.Output()
	if err != nil && strings.Contains(err.Error(), "permission denied") {
		t.Skipf("programs in %s cannot be run by another user: %v", os.TempDir(), err)
	}
	var all []outcome
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil || len(all) != len(names) {
		t.Fatalf("%d outcomes of %d: %v\n%s\n%s", len(all), len(names), err, out, stderr.Bytes())
	}
	return all
}

// unprivileged is an ordinary user.
const unprivileged = 65534

// copyProgram copies this program to where every user can run it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(to, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tryOutside makes the targets, starts the sandbox among them, and reports what happened.
func tryOutside(data string, _ []string) error {
	var p plan
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return err
	}
	w := &outside{Base: p.Base, Addresses: map[string]string{}, PIDs: map[string]int{}, seen: map[string]bool{},
		processes: map[string]*exec.Cmd{}, before: map[string]string{}}
	defer w.close()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // for the group
	if err := w.make(); err != nil {
		return fmt.Errorf("make the targets: %w", err)
	}
	inside, err := w.start(p)
	if err != nil {
		return err
	}
	for i, o := range inside {
		at := slices.IndexFunc(allEscapes, func(e escape) bool { return e.name == o.Name })
		if look := allEscapes[at].happened; look != nil {
			w.worked = o.Happened
			inside[i].Happened = look(w)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(inside)
}

// tryInside tries the escapes.
func tryInside(data string, _ []string) error {
	var p plan
	w := &outside{}
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		return err
	}
	if err := json.Unmarshal(p.World, w); err != nil {
		return err
	}
	all := []outcome{}
	for _, e := range allEscapes {
		if !slices.Contains(p.Names, e.name) {
			continue
		}
		err := e.try(w)
		all = append(all, outcome{Name: e.name, Happened: err == nil, Reason: fmt.Sprint(err)})
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// protectedParts are the protected directories of the project.
var protectedParts = []string{".ferrus", ".git", "svc/.ferrus", "held1", "up/a/held", "deep/a/b/held", "held2", "held3",
	"held4", "absent/.ferrus"}

// words are what the table says of an escape.
var words = map[rune]string{'x': "possible", '.': "refused", '?': "varies", 's': "possible before ABI 9"}

// TestTheTableOfEscapes holds the table in SECURITY to the escapes; -generate writes it.
func TestTheTableOfEscapes(t *testing.T) {
	const file, begin, end = "../../.github/SECURITY.md", "<!-- generated: escapes -->\n", "<!-- end of generated -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", file)
	}
	var b strings.Builder
	b.WriteString("| A program inside tries to |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(columns)+1) + "\n")
	for _, e := range allEscapes {
		fmt.Fprintf(&b, "| %s |", e.name)
		for _, c := range e.opens {
			b.WriteString(" " + words[c] + " |")
		}
		b.WriteString("\n")
	}
	want := before + begin + b.String() + end + after
	if *generate {
		err = os.WriteFile(file, []byte(want), 0o644)
	}
	if err != nil || !*generate && want != string(data) {
		t.Errorf("the table in %s is old; run: go test ./agent/sandbox -run Table -generate (%v)", file, err)
	}
}
