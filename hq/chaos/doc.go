// Package chaos proves that nothing is lost: it has tests and nothing else.
//
// Its test binary is ferrus itself. It plays the demo's story (with `ferrus demo`,
// in HQ's full screen, with `ferrus run`, and by hand, where every gate runs
// detached) and kills processes of it with -9 at times that a seed chooses: the
// conductor, a server, an agent, the gate's runner, the gate's commands. Then it
// lets the story go on to its end and compares: the journal tells the same story,
// apart from rounds of checks that were repeated; whatever a caller was told is in
// the journal once; folding the journal gives the state; nothing ran twice at the
// same time; and nothing is left behind. The lease is tried beside it, with clocks
// that jump and processes that die, pause and wake.
//
// How many processes are killed says -kills, which ones and when says -seed; the
// seed of a run is printed. DESIGN 14 says what lost and doubled mean.
package chaos
