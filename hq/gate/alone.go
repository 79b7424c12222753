package gate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"

	"ferrus/checks"
)

// crowded reports whether other work may be why a command took too long.
func (r *runner) crowded() bool {
	if r.options.Crowded != nil {
		return r.options.Crowded()
	}
	return Loaded()
}

// Loaded reports whether more processes wanted a processor in the last minute, on average, than the machine
// has processors. It reports false where that is not known.
func Loaded() bool {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	first, _, _ := bytes.Cut(data, []byte(" "))
	n, err := strconv.ParseFloat(string(first), 64)
	return err == nil && n > float64(runtime.NumCPU())
}

// proveAlone runs a job again that took too long beside other work, when no other gate runs. What it finds
// then counts.
func (r *runner) proveAlone(ctx context.Context, m *marked, j job, log io.Writer, first checks.Record) checks.Record {
	//nolint:errcheck // the record says the same
	fmt.Fprintf(log, "=== %s\n=== other work loads the machine: it runs again alone\n", first.Why)
	if r.options.Alone != nil {
		if err := r.options.Alone(ctx); err != nil {
			return first
		}
	}
	again := r.prove(ctx, m, j, log)
	again.TimedOut = first.Why
	return again
}
