// Package exectest writes the programs that tests run.
//
// Only tests import it.
package exectest

import (
	"io/fs"
	"os"
	"syscall"
)

// WriteFile is [os.WriteFile] for a program that is run at once. A process that another
// goroutine starts meanwhile would have the file open for a moment, and the system runs no
// program that is open for writing ("text file busy"), so no process is started while the
// file is written. See https://go.dev/issue/22315.
func WriteFile(name string, data []byte, mode fs.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(name, data, mode)
}
