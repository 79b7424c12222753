//go:build !linux

package adversary

func traceMain() bool { return false }
