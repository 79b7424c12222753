package tui

import "ferrus/hq/conductor"

// The conductor is the engine that HQ runs on.
var _ Engine = (*conductor.Conductor)(nil)
