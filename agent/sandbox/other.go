//go:build !linux && !darwin

package sandbox

import (
	"context"
	"runtime"
)

// errSystem says that there are no walls here.
var errSystem = &Error{"use a sandbox", "ferrus has none for " + runtime.GOOS}

// required are the walls that [Require] demands.
const required = Namespace

// notHere are findings that this system cannot have.
var notHere []string

func abstract(base, _ string) string { return base + "/a" }

func (*report) tryKernel() {}

func probeNamespace(context.Context, Network) (Walls, error) { return Walls{}, errSystem }

func probeSecond(context.Context) (Walls, error) { return Walls{}, errSystem }
