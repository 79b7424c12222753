package deck

import "ferrus/hq/run"

// The conductor is the engine that HQ runs on.
var _ Engine = (*run.Conductor)(nil)
