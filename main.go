// Command ferrus runs coding agents through a loop that ends in proven work.
package main

import (
	"os"

	"ferrus/hq/cli"
)

func main() { os.Exit(cli.Main()) }
