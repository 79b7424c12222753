package remote

import "os"

// noteTurn notes that the turn of a session on its program's own screen has ended, or that the next one runs, where the
// session's runner looks for that. What cannot be noted ends the session later: when it has been silent for long.
func (v *shown) noteTurn(runs bool) {
	_ = os.Remove(v.TurnEnd) // its time has to be the present one
	if !runs {
		_ = os.WriteFile(v.TurnEnd, nil, 0o600)
	}
}
