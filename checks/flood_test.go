package checks

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ferrus/store/longtest"
)

// long asks for the tests that take minutes.
func init() { parts["flood"] = flood }

// flood runs a command that prints a lot and reports by how many KiB the most
// memory this process ever had has grown.
func flood() error {
	run := func(command string) Record {
		return Run(context.Background(), Options{Dir: "/", Marker: "flood", Commands: commands(command),
			Log: io.Discard, Progress: func(Progress) {}})
	}
	run("seq 1 100000")
	before, err := peak()
	if err != nil {
		return err
	}
	record := run(os.Getenv("TEST_COMMAND"))
	after, err := peak()
	fmt.Println(after-before, record.Commands[0].Lines, record.Verdict)
	return err
}

// peak is in KiB.
func peak() (int, error) {
	if runtime.GOOS != "linux" {
		var usage syscall.Rusage
		err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
		return int(usage.Maxrss >> 10), err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	return strconv.Atoi(strings.Fields(rest)[0])
}

func TestFloodTakesConstantMemory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads 45 MB")
	}
	size := 20 << 20
	if longtest.On() {
		size = 1 << 30
	}
	for name, command := range map[string]string{
		"short lines": "yes | head -c %d; exit 1",
		"one line":    "head -c %d /dev/zero | tr '\\0' x; exit 1",
		"binary":      "head -c $((%d / 4)) /dev/urandom; exit 1",
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "TEST_PART=flood", "TEST_COMMAND="+fmt.Sprintf(command, size),
				"GOGC=100") // test programs collect less often
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var grown, lines int
			var verdict Verdict
			if _, err := fmt.Sscan(string(out), &grown, &lines, &verdict); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%d KiB more for %d bytes, %d lines", grown, size, lines)
			if grown > 32<<10 || verdict != Fail || lines == 0 {
				t.Errorf("grew by %d KiB, %d lines, %s", grown, lines, verdict)
			}
		})
	}
}
