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

// These name the socket from which the test binary, run in a terminal, takes
// what it prints: once, or again and again.
const (
	feedEnv  = "FERRUS_VT_FEED"
	floodEnv = "FERRUS_VT_FLOOD"
)

func TestMain(m *testing.M) {
	for env, play := range map[string]func(string) error{feedEnv: feed, floodEnv: flooding} {
		if socket := os.Getenv(env); socket != "" {
			if err := play(socket); err != nil {
				log.Fatal(err)
			}
			return
		}
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

// feed prints each piece that comes from the socket, waits until the terminal has taken it, and
// reports that.
func feed(socket string) error {
	conn, err := dialRaw(socket)
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

// dialRaw connects to the socket, with the terminal as a wire.
func dialRaw(socket string) (net.Conn, error) {
	raw := exec.Command("stty", "raw", "-echo")
	raw.Stdin = os.Stdin
	if err := raw.Run(); err != nil {
		return nil, err
	}
	return net.Dial("unix", socket)
}

// flooding prints each stream as often as asked, waits until the terminal has taken it, and reports
// that.
func flooding(socket string) error {
	conn, err := dialRaw(socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	taken := make(chan struct{}, 1)
	go func() { // answers must be read while there is more to print
		answers := bufio.NewReader(os.Stdin)
		for {
			if _, err := answers.ReadString('n'); err != nil {
				return
			}
			taken <- struct{}{}
		}
	}()
	for {
		var head struct{ Times, Size uint32 }
		if err := binary.Read(conn, binary.BigEndian, &head); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		stream := make([]byte, head.Size)
		if _, err := io.ReadFull(conn, stream); err != nil {
			return err
		}
		for range head.Times {
			if _, err := os.Stdout.Write(stream); err != nil {
				return err
			}
		}
		if _, err := os.Stdout.WriteString("\x18\x1b[5n"); err != nil {
			return err
		}
		<-taken
		if _, err := conn.Write([]byte{1}); err != nil {
			return err
		}
	}
}
