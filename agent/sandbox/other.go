//go:build !linux

package sandbox

import (
	"context"
	"runtime"
)

// errSystem says that there are no walls here.
var errSystem = &Error{"use a sandbox", "ferrus has none for " + runtime.GOOS}

func probeNamespace(context.Context, Network) (Walls, error) { return Walls{}, errSystem }

func probeLandlock(context.Context) (Walls, error) { return Walls{}, errSystem }
