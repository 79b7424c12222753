package budgets

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"
)

// agentEnv makes the test binary a screen's agent; its value is the number of lines to print first.
const agentEnv = "FERRUS_BUDGET_AGENT"

// Keys that an agent acts on. It counts every other key, and prints the count.
const (
	keyFlood  = 'F' // prints without end
	keyStop   = 'S' // stops the flood
	keyBlast  = 'B' // prints blastSize bytes, waits until the terminal has processed them, and prints END
	keyStamps = 'T' // prints the time now and then
)

const (
	blastSize = 24 << 20
	stamps    = 100
)

// textLine is a line of a flood: text in colors, as builds print it.
var textLine = strings.Repeat("\x1b[32mok\x1b[m  ferrus/ui/vt 0.52s coverage: 93.1% of statements in all of it\r\n", 1)

// play plays an agent.
func play(first string) error {
	if _, err := term.MakeRaw(os.Stdin.Fd()); err != nil {
		return err
	}
	lines, _ := strconv.Atoi(first)
	for i := range lines {
		fmt.Printf("%05d %s", i, textLine)
	}
	noteBegin()
	fmt.Printf("ready\r\n")
	in := bufio.NewReader(os.Stdin)
	var flooding atomic.Bool
	for keys := 1; ; {
		b, err := in.ReadByte()
		if err != nil {
			return nil
		}
		switch b {
		case keyFlood:
			flooding.Store(true)
			go flood(&flooding)
		case keyStop:
			flooding.Store(false)
		case keyBlast:
			blast(in)
		case keyStamps:
			go stamp()
		default:
			fmt.Printf("\r\x1b[Kkey %d.", keys)
			keys++
		}
	}
}

func flood(flooding *atomic.Bool) {
	block := []byte(strings.Repeat(textLine, 50))
	for flooding.Load() {
		os.Stdout.Write(block) //nolint:errcheck // a terminal that is gone ends the program
	}
}

// blast prints a large output, and waits for the terminal's answer to a query at its end.
func blast(in *bufio.Reader) {
	block := []byte(strings.Repeat(textLine, 200))
	began, sum := time.Now(), 0
	for sum < blastSize {
		n, _ := os.Stdout.Write(block)
		sum += n
	}
	fmt.Print("\x1b[5n")
	if _, err := in.ReadString('n'); err != nil {
		return
	}
	fmt.Printf("\r\nEND %.2f MB/s.\r\n", float64(sum)/1e6/time.Since(began).Seconds())
}

// stamp prints the time at irregular intervals.
func stamp() {
	for i := range stamps {
		time.Sleep(time.Duration(20+i*7%23) * time.Millisecond)
		fmt.Printf("\r\x1b[Kat %d.", time.Now().UnixNano())
	}
}
