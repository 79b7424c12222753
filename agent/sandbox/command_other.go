//go:build !linux

package sandbox

import (
	"errors"
	"runtime"
)

func (Walls) namespaceCommand(Policy, []string) ([]string, error) {
	return nil, errors.New("sandbox: " + runtime.GOOS + " has no namespaces")
}
