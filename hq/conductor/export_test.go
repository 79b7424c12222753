package conductor

import "time"

// Patient has the person told of a silence of another length.
func (o Options) Patient(silence time.Duration) Options {
	o.silence = silence
	return o
}

// Hearing has the servers of sessions looked at more often.
func (o Options) Hearing(deafness time.Duration) Options {
	o.deafness = deafness
	return o
}
