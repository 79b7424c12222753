package chaos

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/cli"
	"ferrus/hq/host/hosttest"
	"ferrus/hq/project"
	"ferrus/ui/termtest"
)

var (
	kills = flag.Int("kills", 2, "how many processes TestKill kills")
	seed  = flag.Uint64("seed", 0, "what TestKill draws from; 0: a new one")
	only  = flag.String("mode", "", "run this mode only: demo, screen, run, hand")
	keep  = flag.Bool("keep", false, "keep the directories of trials")
)

// trialEnv names a trial's directory. All its processes inherit the variable.
const trialEnv = "CHAOS_PLAY"

// TestMain makes the test binary ferrus, and thereby also every agent and server.
func TestMain(m *testing.M) {
	if dir := os.Getenv(trialEnv); dir != "" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		if os.Args[1] == "serve" {
			if os.Getenv(clientEnv) != "" {
				os.Exit(serveClient())
			}
			os.Exit(recorded(dir))
		}
		// The human's shell has a terminal.
		mine := []string{"answer", "reset", "resume", "retry", "task", "merge", "approve"}
		if slices.Contains(mine, os.Args[1]) {
			termtest.OwnTerminal()
		}
		os.Exit(cli.Main())
	}
	os.Exit(hosttest.M{Tests: termtest.M{Tests: m}}.Run())
}

// toolReply is one result of a tool, as its caller got it.
type toolReply struct {
	Session string `json:"session"`
	Task    string `json:"task"` // the directory of the caller's task; empty if it works in the checkout
	ID      string `json:"id"`   // of the request
	Status  string `json:"status"`
	Seq     uint64 `json:"seq"`
}

// recorded is ferrus serve, with a copy of every result on disk before the caller gets it.
func recorded(dir string) int {
	caller := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	os.Stdout = w
	over := make(chan struct{})
	go func() {
		defer close(over)
		record(r, caller, filepath.Join(dir, "answers"))
	}()
	code := cli.Main()
	w.Close()
	<-over
	return code
}

func record(answers io.Reader, caller io.Writer, file string) {
	log, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer log.Close()
	session := process.SessionID(os.Getenv(process.NonceEnv))
	lines := bufio.NewReader(answers)
	for {
		line, err := lines.ReadBytes('\n')
		if one, ok := read(line); ok {
			one.Session, one.Task = session, os.Getenv(project.TaskEnv)
			data, _ := json.Marshal(one)
			fmt.Fprintf(log, "%s\n", data) // a single write: all of it, or nothing
		}
		_, _ = caller.Write(line) // an agent that was killed gets nothing
		if err != nil {
			return
		}
	}
}

// read takes the sequence number from a result that has one and is not a refusal.
func read(line []byte) (toolReply, bool) {
	var answer struct {
		ID     json.RawMessage
		Result struct {
			IsError           bool
			StructuredContent struct {
				Status string
				Seq    uint64
			}
		}
	}
	if json.Unmarshal(line, &answer) != nil || answer.Result.IsError {
		return toolReply{}, false
	}
	s := answer.Result.StructuredContent
	return toolReply{ID: strings.Trim(string(answer.ID), `"`), Status: s.Status, Seq: s.Seq}, s.Seq > 0
}
