package vt

import (
	"bufio"
	"encoding/binary"
	"flag"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"testing"
)

// feedEnv names the socket from which the test binary, run in a tmux pane,
// takes what it prints.
const feedEnv = "FERRUS_VT_FEED"

func TestMain(m *testing.M) {
	if socket := os.Getenv(feedEnv); socket != "" {
		if err := feed(socket); err != nil {
			log.Fatal(err)
		}
		return
	}
	flag.Parse()
	if *record != "" {
		if err := recordMatching(*record); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}

// feed prints each piece that comes from the socket, waits until the terminal
// has taken it, and says so.
func feed(socket string) error {
	raw := exec.Command("stty", "raw", "-echo")
	raw.Stdin = os.Stdin
	if err := raw.Run(); err != nil {
		return err
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	answers := bufio.NewReader(os.Stdin)
	for {
		var size uint32
		if err := binary.Read(conn, binary.BigEndian, &size); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := io.CopyN(os.Stdout, conn, int64(size)); err != nil {
			return err
		}
		// CAN ends whatever the piece left open; the answer proves that all of
		// it was taken.
		if _, err := os.Stdout.WriteString("\x18\x1b[5n"); err != nil {
			return err
		}
		if _, err := answers.ReadString('n'); err != nil {
			return err
		}
		if _, err := conn.Write([]byte{1}); err != nil {
			return err
		}
	}
}
