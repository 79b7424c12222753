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

// crowded reports whether other work loads the machine, so that commands may have taken long for want of
// its processors.
func (r *runner) crowded() bool {
	if r.options.Crowded != nil && r.options.Crowded() {
		return true
	}
	return load() > float64(runtime.NumCPU())
}

// load returns how many processes wanted a processor in the last minute, on average; 0 where that is not
// known.
func load() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := bytes.Cut(data, []byte(" "))
	n, err := strconv.ParseFloat(string(first), 64)
	if err != nil {
		return 0
	}
	return n
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
