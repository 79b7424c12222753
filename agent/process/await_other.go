//go:build unix && !linux

package process

import (
	"context"
	"errors"
)

// AwaitEnd returns [errors.ErrUnsupported]: look at the process now and then.
func AwaitEnd(context.Context, Identity) error { return errors.ErrUnsupported }
