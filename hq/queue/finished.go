package queue

// Finished is what became of the commits of a batch after they were proven: git signs them, if you have
// it do so.
type Finished struct {
	Signed   bool   `json:"signed,omitzero"`   // the picks that land are as they land
	Unsigned string `json:"unsigned,omitzero"` // why they could not be signed; it is tried again when you say so
}
