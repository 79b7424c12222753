package home

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain also plays a session that renews its login; PLAY has its home.
func TestMain(m *testing.M) {
	if text := os.Getenv("PLAY"); text != "" {
		var h Home
		err := json.Unmarshal([]byte(text), &h)
		if err == nil {
			err = renewOften(h, os.Getenv("VENDOR"))
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// renewals is how often each session renews its login.
const renewals = 50

// renewOften renews a login again and again, as a client and its host do: a vendor takes each
// token once, and its file says which one is valid.
func renewOften(h Home, vendor string) error {
	deadline := time.Now().Add(time.Minute)
	for done := 0; done < renewals; {
		renewed, err := renew(h, vendor)
		if err != nil {
			return err
		}
		if renewed {
			done++
		}
		if err := h.Sync(); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("logged out after %d renewals: no session has the valid token", done)
		}
	}
	return nil
}

// renew asks the vendor for a new token, and reports whether the old one was valid.
func renew(h Home, vendor string) (bool, error) {
	server, err := os.OpenFile(vendor, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer server.Close()
	if err := unix.Flock(int(server.Fd()), unix.LOCK_EX); err != nil {
		return false, err
	}
	file := filepath.Join(h.Dir, ".vendor/auth.json")
	have, err := os.ReadFile(file)
	valid, failed := os.ReadFile(vendor)
	n, unparsed := strconv.Atoi(string(valid))
	if err := errors.Join(err, failed, unparsed); err != nil {
		return false, err
	}
	if !strings.Contains(string(have), fmt.Sprintf(`"r%d"`, n)) {
		return false, nil
	}
	err = os.WriteFile(file, []byte(auth("me", n+1)), 0o600)
	return true, errors.Join(err, os.WriteFile(vendor, []byte(strconv.Itoa(n+1)), 0o600))
}

// Two processes that renew one login again and again never lose it.
func TestTwoProcessesRenewOneLogin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s := newFixture(t)
	vendor := filepath.Join(s.dir, "vendor")
	s.write(s.dir, "vendor", "1")
	var all []*exec.Cmd
	var outputs []*bytes.Buffer
	for _, slot := range []string{"executor", "reviewer"} {
		data, err := json.Marshal(s.home(slot))
		s.must(err)
		cmd, output := exec.Command(os.Args[0]), &bytes.Buffer{}
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "PLAY="+string(data), "VENDOR="+vendor), output, output
		s.must(cmd.Start())
		all, outputs = append(all, cmd), append(outputs, output)
	}
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outputs[i])
		}
	}
	if want := fmt.Sprintf("a%d", 1+2*renewals); s.access(s.real) != want {
		t.Errorf("yours is %s, not %s", s.access(s.real), want)
	}
}
