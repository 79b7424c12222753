package core

// Advice is hq/advice, which stands above this package: an external test sets it, so
// that every World that is reached here is one that can be advised on.
var Advice struct {
	Next    func(World, Actor) string
	Explain func(World) string
}
