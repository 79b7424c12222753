//go:build !e2e

package model

import "net/http"

// control is empty: only tests make a server fail.
type control struct{}

func (control) wrap(h http.Handler) http.Handler { return h }
