// Package chaos tests that a kill at any moment loses nothing. It has no code but tests.
//
// Its test binary is ferrus itself. It runs the demo (with `ferrus demo`, in HQ's full
// screen, with `ferrus run`, and without a conductor, where every gate runs detached) and
// kills its processes with SIGKILL at random times: the conductor, a server, an agent, the
// gate's runner, the gate's commands (trial_test.go, kill_test.go), and the conductor in every
// phase of a workflow (phase_test.go). Then it lets the loop
// finish and compares (expect_test.go): the journal has the same events, apart from repeated
// rounds of checks; every answer that a caller got is in the journal exactly once; replaying
// the journal gives the state; nothing ran twice at the same time (watch_test.go); and no
// process is left. The lease is tested with clocks that jump (lease_test.go) and with
// processes that die, pause and wake (pause_test.go).
//
// An event is lost if a caller was answered but the journal does not have it, and doubled if
// two processes did the same work at the same time. The flag -kills sets the number of kills
// and -seed their choice; each run prints its seed.
package chaos
