//go:build !amd64

package sandbox

var portEscapes []escape
