package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"ferrus/ui/text"
)

// maxTaskFile bounds what is read of a file of tasks.
const maxTaskFile = 16 << 20

// byteOrderMark is what some editors put in front of UTF-8.
const byteOrderMark = "\ufeff"

// readText reads all of your text: a file, or standard input for -. One that is larger than most bytes or is
// not UTF-8 is refused.
func readText(std *streams, name string, most int64) (string, error) {
	from, shown := std.in, "standard input"
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close() //nolint:errcheck // it was only read
		from, shown = file, name
	}
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return "", err
	}
	if int64(len(data)) > most {
		return "", failure(fmt.Sprintf("%s is larger than %d MiB", shown, most>>20),
			"split it, or put it into a file of the project and name that")
	}
	if err := text.CheckEncoding(string(data)); err != nil {
		return "", failure(fmt.Sprintf("read %s: %v", shown, err))
	}
	return strings.TrimPrefix(string(data), byteOrderMark), nil
}
