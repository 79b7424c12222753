package hq

// Plan says what should be going on in w. Unmanaged tells that a session outside
// the conductor holds a valid lease.
func Plan(w World, wants []Want, living []Living, unmanaged bool) Going { return Going{} }
