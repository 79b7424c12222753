// Package sandbox runs a command line behind walls that the kernel enforces.
//
// Call [Main] first in main (and in TestMain of tests that play ferrus): the program
// starts itself again to build the walls. Then [Choose] the walls that hold on this
// machine, describe with a [Policy] what a program may reach, and start what
// [Walls.Command] returns.
//
// Whatever a policy does not name cannot be reached: the rest of your home, other
// projects, /run, and with walls of the kind [Namespace] also every process and socket
// outside. The system's programs are readable. Everything inside ends with the
// program, or with the process that started it; with [Landlock] the caller ends the
// process tree.
//
// The walls and the network are chosen independently. [Landlock] protects files only:
// programs of your session that listen on a socket can still be reached, and a protected
// path inside a writable tree is not protected. [Walls.Findings] lists such gaps.
//
// The package knows neither agents nor gates nor ferrus.toml.
package sandbox

// Kind is what keeps a program inside.
type Kind string

// The kinds of walls, the strongest first.
const (
	Namespace Kind = "namespace" // bubblewrap: its own files, processes and, if asked, network
	Landlock  Kind = "landlock"  // files only: protects from accidents
	Seatbelt  Kind = "seatbelt"  // of macOS: experimental
	None      Kind = "none"
)

// Mode is how much is demanded.
type Mode string

// The modes. Auto takes the strongest walls that hold and says why they are not stronger;
// Require fails without namespace walls, on macOS without walls that the probe found to hold; Off has none.
const (
	Auto    Mode = "auto"
	Require Mode = "require"
	Off     Mode = "off"
)

// Network is what a program reaches beside its own loopback.
type Network string

// The networks. Proxied and Unshared need namespace walls.
const (
	Open     Network = "open"  // yours
	Proxied  Network = "proxy" // what a proxy outside lets through: see package agent/proxy
	Unshared Network = "none"  // nothing
)

// Policy says what a program inside may reach. Every path is absolute. A path that is
// not there is left out, if nothing else is said. It has more than 12 fields because it is one
// flat message to the program that builds the walls.
type Policy struct {
	Dir     string   `json:"dir"`               // working directory; must be reachable
	Write   []string `json:"write,omitempty"`   // trees that may be changed
	Read    []string `json:"read,omitempty"`    // trees and files that may be read, beside the system's
	Shared  []string `json:"shared,omitempty"`  // trees that other programs inside change; no link in them is followed
	Hide    []string `json:"hide,omitempty"`    // parts of readable and writable trees that are not visible
	Protect []string `json:"protect,omitempty"` // parts of writable trees that nothing inside can change or move
	Mounts  []Mount  `json:"mounts,omitempty"`  // namespace walls only
	Sockets []string `json:"sockets,omitempty"` // Unix sockets outside that may be used
	Devices []string `json:"devices,omitempty"` // below /dev, beside the usual ones
	Network Network  `json:"network,omitempty"` // empty: Open
	Proxy   string   `json:"proxy,omitempty"`   // the socket of the proxy, which listens; needed with Proxied
	Ports   []int    `json:"ports,omitempty"`   // of your loopback, which the proxy opens; with Proxied
	Env     []string `json:"env,omitempty"`     // NAME=value, over the environment of the process

	Links []Mount `json:"links,omitempty"` // symbolic links on the way to what is named; Command finds them
}

// Mount shows a file or directory at another path. Its target cannot be replaced or moved.
type Mount struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Write bool   `json:"write,omitempty"`
}

// Walls are what is in force, as [Choose] found it on this machine.
type Walls struct {
	Kind     Kind      `json:"kind"`
	Network  Network   `json:"network"`
	Reason   string    `json:"reason,omitempty"` // why they are not stronger
	Cure     string    `json:"cure,omitempty"`   // what to do about it
	Findings []Finding `json:"findings,omitempty"`
	Bwrap    string    `json:"-"` // path of bubblewrap
	Env      string    `json:"-"` // path of an env that knows --default-signal; empty: none
	ABI      int       `json:"abi,omitempty"`
}

// Finding is one thing that the probe tried from inside and looked at from outside.
type Finding struct {
	Name  string `json:"name"`
	Holds bool   `json:"holds"`
	Got   string `json:"got,omitempty"` // what happened instead
}
