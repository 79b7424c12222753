package queue

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// scarce returns, in words, that less memory is free than required; empty: there is enough, or
// the amount is unknown. Both are in megabytes, and free is below 0 where it is not known.
func scarce(free, least int) string {
	if free < 0 || free >= least {
		return ""
	}
	if least%1024 == 0 {
		return fmt.Sprintf("less than %d GB of memory free", least>>10)
	}
	return fmt.Sprintf("less than %d MB of memory free", least)
}

// freeMemory returns how many megabytes programs can still have, as Linux estimates it in
// /proc/meminfo (MemAvailable); -1 elsewhere.
func freeMemory() int {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return -1
	}
	for line := range bytes.Lines(data) {
		if after, ok := bytes.CutPrefix(line, []byte("MemAvailable:")); ok {
			number := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(after), []byte("kB")))
			kilobytes, err := strconv.Atoi(string(number))
			if err == nil {
				return kilobytes >> 10
			}
		}
	}
	return -1
}
