package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/agent/process"
	"ferrus/store/exectest"
)

// start runs commands in a directory of their own, with a marker of their own.
func start(t *testing.T, o Options) (Record, string) {
	t.Helper()
	var log bytes.Buffer
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Marker == "" {
		o.Marker = "test-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	if o.Log == nil {
		o.Log = &log
	}
	if o.Grace == 0 {
		o.Grace = 50 * time.Millisecond
	}
	record := Run(t.Context(), o)
	if left, err := family(o.Marker, 0, false, process.Time{}).Living(); err != nil || len(left) > 0 {
		t.Fatalf("processes left: %v, %v", left, err)
	}
	return record, log.String()
}

func TestVerdictSaysHowCommandsEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		commands []string
		verdict  Verdict
		why      string
	}{
		"all succeed":    {[]string{"true", "echo fine"}, Pass, "PASS: 2 of 2 commands"},
		"one fails":      {[]string{"true", "exit 3", "true"}, Fail, "FAIL: exit 3"},
		"two fail":       {[]string{"false", "exit 3"}, Fail, "FAIL: false, exit 3"},
		"none":           {nil, Unproven, "UNPROVEN: there are no check commands"},
		"blank":          {[]string{"", "  "}, Unproven, "UNPROVEN: there are no check commands"},
		"prints PASS":    {[]string{"echo PASS; exit 1"}, Fail, "FAIL: echo PASS; exit 1"},
		"reads stdin":    {[]string{"read x || exit 9"}, Fail, "FAIL: read x || exit 9"},
		"changes folder": {[]string{"cd /", "test \"$PWD\" != /"}, Pass, "PASS: 2 of 2 commands"},
		"two lines":      {[]string{"false\nfalse"}, Fail, "FAIL: false false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record, _ := start(t, Options{Commands: commands(c.commands...)})
			if record.Verdict != c.verdict || !strings.HasPrefix(record.Why, c.why) {
				t.Errorf("the verdict is %s, %q; want %s, %q", record.Verdict, record.Why, c.verdict, c.why)
			}
		})
	}
}

func TestAllCommandsRunAfterAFailure(t *testing.T) {
	t.Parallel()
	record, log := start(t, Options{Commands: commands("echo one; false", "echo two")})
	if len(record.Commands) != 2 || !record.Commands[1].OK() {
		t.Fatalf("the commands are %+v, want 2 with a second that passed", record.Commands)
	}
	for _, want := range []string{"=== echo one; false\none\n", "=== [FAIL] echo one; false  (exit 1,",
		"=== [PASS] echo two  (exit 0,"} {
		if !strings.Contains(log, want) {
			t.Errorf("log lacks %q:\n%s", want, log)
		}
	}
}

func TestHintNamesTheEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "not-executable")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]Result{
		"no-such-program-of-any-name": {Exit: 127, Hint: "command not found"},
		file:                          {Exit: 126, Hint: "command not found"},
		"kill -9 $$":                  {Exit: -1, Signal: "SIGKILL", Hint: "ended by SIGKILL"},
		"(kill -11 $(exec sh -c 'echo $PPID')); exit $?": {Exit: 139, Signal: "SIGSEGV", Hint: "ended by SIGSEGV"},
	} {
		record, _ := start(t, Options{Commands: commands(command)})
		got := record.Commands[0]
		if record.Verdict != Fail || got.Exit != want.Exit || got.Signal != want.Signal || got.Hint != want.Hint {
			t.Errorf("%s: %s %+v, want FAIL %+v", command, record.Verdict, got, want)
		}
	}
}

func TestTimeoutEndsWhatHangs(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"hangs":           "sleep 1000",
		"ignores signals": "trap '' TERM INT HUP; while :; do sleep 1000 & wait; done",
		"forks": "for i in 1 2 3 4 5; do (setsid sleep 1000 &) ; (trap '' TERM; sleep 1000) & " +
			"done; sleep 1000",
		"is stopped": "kill -STOP $$",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record, _ := start(t, Options{Commands: commands(command, "true"), Timeout: 300 * time.Millisecond})
			if record.Verdict != Timeout || !record.Commands[0].TimedOut || !record.Commands[1].OK() {
				t.Errorf("the record is %s: %+v, want a timeout of the first alone", record.Why, record.Commands)
			}
		})
	}
}

func TestNothingOutlivesItsCommand(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"in the background":       "sleep 1000 & echo $! >pid",
		"in a session of its own": "setsid sh -c 'echo $$ >pid; sleep 1000' & while [ ! -s pid ]; do :; done",
		"with the output closed":  "sleep 1000 >/dev/null 2>&1 & echo $! >pid",
		"without the environment": "env -i sleep 1000 & echo $! >pid",
		"ignoring the request":    "(trap '' TERM; sleep 1000; sleep 1000) & echo $! >pid",
		"in a group of its own":   "set -m; sleep 1000 & echo $! >pid",
		"with the marker of a run": "FERRUS_GATE=$FERRUS_GATE:inner setsid sh -c 'echo $$ >pid; sleep 1000' & while " +
			"[ ! -s pid ]; do :; done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			record, _ := start(t, Options{Dir: dir, Commands: commands(command)})
			if record.Verdict != Pass {
				t.Errorf("the record is %s, want a pass", record.Why)
			}
			data, err := os.ReadFile(filepath.Join(dir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			if lives(t, strings.TrimSpace(string(data))) {
				t.Errorf("process %s lives", data)
			}
		})
	}
}

func lives(t *testing.T, pid string) bool {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	_, err = process.Identify(number)
	return err == nil
}

func TestCancellationEndsTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	record := Run(ctx, Options{
		Dir: t.TempDir(), Marker: "cancel-" + t.Name(), Grace: 50 * time.Millisecond,
		Commands: commands("echo ready; sleep 1000", "echo never"),
		Progress: func(p Progress) {
			if p.Line == "ready" {
				cancel()
			}
		},
	})
	if record.Verdict != Cancelled || len(record.Commands) != 1 || record.Commands[0].OK() {
		t.Errorf("the record is %s: %+v, want it cancelled in the first command", record.Why, record.Commands)
	}
}

func TestUnprovenWithoutShellDirectoryOrTree(t *testing.T) {
	t.Parallel()
	record, _ := start(t, Options{Dir: filepath.Join(t.TempDir(), "gone"), Commands: commands("true")})
	if record.Verdict != Unproven || !strings.Contains(record.Why, "start /bin/sh in ") {
		t.Errorf("no directory: %s", record.Why)
	}
	record, _ = start(t, Options{Commands: commands("true"), AllowNone: true,
		Tree: Tree{Hash: "a", Problems: []string{"sub is dirty"}}})
	if record.Verdict != Unproven || record.Allowed || record.Why != "UNPROVEN: sub is dirty" {
		t.Errorf("with problems: %s, want UNPROVEN because sub is dirty", record.Why)
	}
	record, _ = start(t, Options{AllowNone: true, Tree: Tree{Hash: "a"}})
	if record.Verdict != Unproven || !record.Allowed || record.Tree.Hash != "a" {
		t.Errorf("with allowed problems: %+v, want UNPROVEN, allowed, on tree a", record)
	}
}

func TestFilesThatTheCommandsChangedAreNamed(t *testing.T) {
	t.Parallel()
	record, _ := start(t, Options{
		Commands: commands("true"), Changed: func(context.Context) (changed, restored []string, err error) {
			return []string{"main.go", "odd\nname"}, nil, nil
		},
	})
	if report := record.Report(10); record.Verdict != Pass || !strings.Contains(report, ": main.go, odd name\n") {
		t.Errorf("the record is %s, want a pass that lists both files:\n%s", record.Why, report)
	}
	record, _ = start(t, Options{
		Commands: commands("true"), Changed: func(context.Context) (changed, restored []string, err error) {
			return nil, nil, errors.New("no disk")
		},
	})
	if record.Verdict != Unproven || record.Why != "UNPROVEN: no disk" {
		t.Errorf("the record is %s, want UNPROVEN: no disk", record.Why)
	}
}

func TestEnvironmentHasNoSecrets(t *testing.T) {
	t.Parallel()
	record, _ := start(t, Options{
		Env: []string{"PATH=" + os.Getenv("PATH"), "FERRUS_NONCE=n", "FERRUS_PROJECT=p", "OPENAI_API_KEY=k",
			"ANTHROPIC_AUTH_TOKEN=k", "KEPT=yes", "FERRUS_GATE=outer"},
		Marker:   "inner",
		Commands: commands("env"),
	})
	got := strings.Join(record.Commands[0].Tail, "\n")
	for _, want := range []string{"KEPT=yes", "FERRUS_GATE=outer:inner", "PWD="} {
		if !strings.Contains(got, want) {
			t.Errorf("the environment lacks %s:\n%s", want, got)
		}
	}
	for _, bad := range []string{"NONCE", "FERRUS_PROJECT", "API_KEY", "AUTH_TOKEN"} {
		if strings.Contains(got, bad) {
			t.Errorf("the environment has %s:\n%s", bad, got)
		}
	}
}

func TestTailIsBoundedPlainText(t *testing.T) {
	t.Parallel()
	record, log := start(t, Options{Commands: commands(
		`printf '\033[31mred\033[0m\n10%%\r50%%\r100%%\r\n\377bad\n\033]0;title\007x\342\200\256y\n'; exit 1`,
		`head -c 1000000 /dev/zero | tr '\0' a; printf 'end\nlast'; exit 1`,
		`seq 1 5000; exit 1`,
	)})
	if got := strings.Join(record.Commands[0].Tail, "|"); got != "red|100%|\uFFFDbad|xy" {
		t.Errorf("the tail is %q, want plain text", got)
	}
	long := record.Commands[1]
	if long.Lines != 2 || len(long.Tail[0]) > lineBytes+100 || !strings.HasSuffix(long.Tail[0], "aend") ||
		long.Tail[1] != "last" {
		t.Errorf("long line: %d lines, %d bytes", long.Lines, len(long.Tail[0]))
	}
	if many := record.Commands[2]; many.Lines != 5000 || len(many.Tail) != tailLines ||
		many.Tail[tailLines-1] != "5000" {
		t.Errorf("many lines: %d, kept %d", many.Lines, len(many.Tail))
	}
	if !strings.Contains(log, "\033[31mred") || !strings.Contains(log, strings.Repeat("a", 1000000)) {
		t.Error("the log is not what was written")
	}
	report := record.Report(30)
	if len(report) > reportBytes || !strings.Contains(report, "(last 24 of 5000 lines)") ||
		strings.Contains(report, "\n4976\n") {
		t.Errorf("the report is not cut to the last 24 lines:\n%s", report)
	}
}

func TestReportStaysWithinItsBound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads or writes large files")
	}
	record := Record{Verdict: Fail}
	for i := range 50 {
		c := Result{Command: fmt.Sprintf("command %d", i), Exit: 1, Lines: 1000}
		for range 1000 {
			c.Tail = append(c.Tail, strings.Repeat("`x", 30))
		}
		record.Commands = append(record.Commands, c)
	}
	report := record.Report(1000)
	if len(report) > reportBytes || !strings.Contains(report, "command 49 (last") {
		t.Errorf("the report has %d bytes, want a bounded one with command 49", len(report))
	}
}

func TestProgressShowsTheLastLine(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []string
	var done []Result
	start(t, Options{
		Commands: commands("seq 1 100000", "echo second"),
		Progress: func(p Progress) {
			if !mu.TryLock() {
				t.Error("progress from two goroutines at a time")
				return
			}
			defer mu.Unlock()
			if p.Line != "" {
				lines = append(lines, p.Line)
			}
			if p.Done != nil {
				done = append(done, *p.Done)
			}
		},
	})
	if len(done) != 2 || lines[len(lines)-1] != "second" || lines[len(lines)-2] != "100000" {
		t.Errorf("done %d, lines %v", len(done), lines[max(0, len(lines)-3):])
	}
}

func TestFailingLogIsReported(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		full, _ = os.Open(os.DevNull) // Only to read: writing fails too.
	}
	defer full.Close()
	record, _ := start(t, Options{Commands: commands("echo a"), Log: full})
	if record.Verdict != Pass || !strings.Contains(record.Why, "the log is incomplete") {
		t.Errorf("the record is %s, want a pass with an incomplete log", record.Why)
	}
}

func TestKillMarkedFindsWhatADeadRunnerLeft(t *testing.T) {
	t.Parallel()
	dir, marker := t.TempDir(), "dead-runner"
	pids, ended := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(ended)
		Run(context.Background(), Options{Dir: dir, Marker: marker,
			Commands: commands("(setsid sleep 1000 &); sleep 1000"), Started: func(pid int) {
				pids <- pid
			}})
	}()
	pid := <-pids
	if err := KillMarked("another", pid); err != nil || !lives(t, strconv.Itoa(pid)) {
		t.Errorf("a stranger's group was ended, %v", err)
	}
	if err := KillMarked(marker, pid); err != nil {
		t.Error(err)
	}
	<-ended
	if left, err := family(marker, pid, true, process.Time{}).Living(); err != nil || len(left) > 0 {
		t.Errorf("processes left: %v, %v; want none", left, err)
	}
}

// Commands that run tests are asked for their names, and shown as if they were not.
func TestNames(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	for name, script := range map[string]string{
		"go": `test "$2" = -json && printf '%s\n' '{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}' \
  '{"Action":"pass","Package":"p","Test":"TestA"}' '{"Action":"pass","Package":"p"}'`,
		"pytest": `for o in $PYTEST_ADDOPTS "$@"; do case $o in --junitxml=*) f=${o#*=};; *) n=${o#-q}; esac; done; echo "$PYTEST_ADDOPTS" | ` +
			`cut -d' ' -f1; echo '<t><testcase classname="m" name="test_'"$n"'"/></t>' >"$f"`,
	} {
		if err := exectest.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "report.xml"), []byte(`<t><testcase name="stale"/></t>`),
		0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(filepath.Join(dir, "report.xml"), old, old); err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "PYTEST_ADDOPTS=-q"},
		Commands: []Command{{Run: "go test ./..."}, {Run: "pytest b && pytest c"}, {Run: "echo 'ok 1 - c'"}}}
	if r := Run(t.Context(), o); len(r.Names()) != 0 {
		t.Errorf("without being asked: %v", r.Names())
	}
	o.Reports = t.TempDir()
	r := Run(t.Context(), o)
	if got := slices.Sorted(maps.Keys(r.Names())); r.Verdict != Pass ||
		!slices.Equal(got, []string{"m::test_b", "m::test_c", "p TestA", "tap c"}) {
		t.Errorf("the record is %s with %q, want a pass with 4 names", r.Why, got)
	}
	if r.Commands[0].Command != "go test ./..." || !slices.Equal(r.Commands[0].Tail, []string{"ok  \tp\t0.1s"}) ||
		r.Commands[1].Tail[0] != "-q" {
		t.Errorf("the tails are %q and %q, want the lines without -json", r.Commands[0].Tail, r.Commands[1].Tail)
	}
}
