package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ferrus/store/longtest"
	"ferrus/store/memtemp"
)

// TestMain also runs the programs that are killed.
func TestMain(m *testing.M) {
	if project := os.Getenv("STORE_WRITER"); project != "" {
		beWriter(project)
	}
	if project := os.Getenv("STORE_HOLDER"); project != "" {
		beHolder(project)
	}
	memtemp.LongOnDisk()
	goleak.VerifyTestMain(memtemp.M{Tests: m})
}

var errEnough = errors.New("enough")

// beWriter changes the state as fast as it can and says which changes were
// acknowledged, until there are enough.
func beWriter(project string) {
	var total uint64
	fmt.Sscan(os.Getenv("STORE_TOTAL"), &total)
	me := fmt.Sprint(os.Getpid())
	d, err := Open[world](project)
	for i := 0; err == nil; i++ {
		call := Call{ID: fmt.Sprint(me, "-", i)}
		var out UpdateResult[world]
		out, err = d.Update(context.Background(), call, func(tx *Tx[world]) error {
			if tx.Seq > total {
				return errEnough
			}
			tx.World.N++
			tx.World.By[me]++
			if tx.World.N%3 == 0 {
				tx.SetText("TASK.md", strings.Repeat(fmt.Sprintln(tx.Seq), 200))
			}
			if tx.World.N%7 == 0 {
				tx.SetText("NOTE.md", "")
			} else if tx.World.N%5 == 0 {
				tx.SetText("NOTE.md", me)
			}
			tx.Record("step", "ferrus", "", "")
			return nil
		})
		if err == nil {
			fmt.Println(out.State.Seq, call.ID)
		}
	}
	if !errors.Is(err, errEnough) {
		fmt.Println("0", err)
	}
	os.Exit(0)
}

// beHolder takes a lock and keeps it until its stdin ends.
func beHolder(project string) {
	d, err := Open[world](project)
	if err == nil {
		_, err = d.TryLock("conductor.lock")
	}
	fmt.Println(err)
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// play starts the test binary as one of the programs.
func play(t testing.TB, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // ends with this process at the latest
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// playWriter runs a writer, kills it once it has acknowledged some number of changes, and returns
// those.
func playWriter(t *testing.T, project string, total, deadline int) map[uint64]string {
	cmd, out := play(t, "STORE_WRITER="+project, fmt.Sprint("STORE_TOTAL=", total))
	acked := map[uint64]string{}
	for out.Scan() {
		seqText, call, _ := strings.Cut(out.Text(), " ")
		var seq uint64
		fmt.Sscan(seqText, &seq)
		if seq == 0 {
			t.Errorf("a writer failed: %s", call)
			continue
		}
		acked[seq] = call
		if len(acked) == deadline {
			cmd.Process.Kill()
		}
	}
	cmd.Wait() //nolint:errcheck // it was killed
	return acked
}

// Processes that contend for one state are killed with -9 again and again while the others
// continue. No update is lost, doubled or torn.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it kills processes")
	}
	t.Parallel()
	processes, total := 4, 120
	if longtest.On() {
		processes, total = 16, 2000
	}
	project := t.TempDir()
	if _, err := Create(context.Background(), project, world{State: "Idle", By: map[string]int{}}); err != nil {
		t.Fatal(err)
	}
	acked := map[uint64]string{}
	kills := 0
	for uint64(len(acked)) < uint64(total) {
		results := make(chan map[uint64]string, processes)
		for i := range processes {
			deadline := -1 // the first one lives in every other round, so that there is an end
			if i > 0 || kills%2 == 0 {
				deadline = 1 + rand.IntN(1+total/processes/4)
			}
			go func() { results <- playWriter(t, project, total, deadline) }()
			kills++
		}
		for range processes {
			for seq, call := range <-results {
				if acked[seq] != "" {
					t.Fatalf("seq %d was acknowledged to %s and to %s", seq, acked[seq], call)
				}
				acked[seq] = call
			}
		}
		if verifyWhole(t, project, acked).Seq == uint64(total) {
			break // a writer may have died before it could say the last of them
		}
	}
	t.Logf("%d processes at a time, %d starts, %d of %d acknowledged", processes, kills, len(acked), total)
}

// verifyWhole checks that everything acknowledged is in the journal, every event once, and that the
// events lead to the state.
func verifyWhole(t *testing.T, project string, acked map[uint64]string) State[world] {
	t.Helper()
	d, err := Open[world](project) // finishes what the last one left
	if err != nil {
		t.Fatal(err)
	}
	state, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := d.Journal(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameAsFolded(d, lines); err != nil || uint64(len(lines)) != state.Seq {
		t.Fatalf("%d lines at seq %d: %v", len(lines), state.Seq, err)
	}
	calls, sum := map[string]bool{}, 0
	for _, line := range lines {
		if calls[line.Call] {
			t.Fatalf("call %s is doubled", line.Call)
		}
		calls[line.Call] = true
		if call := acked[line.Seq]; call != "" && call != line.Call {
			t.Fatalf("seq %d was acknowledged to %s, the journal has %s", line.Seq, call, line.Call)
		}
	}
	for _, n := range state.World.By {
		sum += n
	}
	if sum != state.World.N || uint64(sum) != state.Seq {
		t.Fatalf("seq %d counts %d, by process %d", state.Seq, state.World.N, sum)
	}
	for seq := range acked {
		if seq > state.Seq {
			t.Fatalf("seq %d was acknowledged and is lost", seq)
		}
	}
	verifyCopies(t, d, state)
	return state
}

// verifyCopies checks the texts and their copies.
func verifyCopies(t *testing.T, d *Dir[world], state State[world]) {
	t.Helper()
	for _, name := range []string{"TASK.md", "NOTE.md"} {
		text, err := d.ReadText(state, name)
		if err != nil {
			t.Fatal(err)
		}
		copied, err := d.ReadFile(name)
		if ignoreMissing(err) != nil || string(copied) != text {
			t.Fatalf("%s is %.20q, its copy %.20q, %v", name, text, copied, err)
		}
	}
}
