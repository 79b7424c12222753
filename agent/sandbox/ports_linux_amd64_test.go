package sandbox

import "golang.org/x/sys/unix"

// portEscapes are by the ports of the processor, which other ones do not have.
var portEscapes = []escape{
	{"reach the ports of the processor", ".....", calls(unix.SYS_IOPL, 3), nil},
}
