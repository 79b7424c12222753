// Command ferrus runs coding agents through a loop that ends in proven work.
package main

import (
	"os"

	"ferrus/agent/sandbox"
	"ferrus/hq/cli"
)

func main() {
	sandbox.Main(os.Args[1:]) // It returns unless this process is to build walls.
	os.Exit(cli.Main())
}
