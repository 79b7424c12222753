package store

import "encoding/json"

// Opaque is a state that can be moved without being understood: its members as they are
// written.
type Opaque map[string]json.RawMessage

// UnmarshalJSON implements json.Unmarshaler. The members of the store itself are not the state's.
func (o *Opaque) UnmarshalJSON(data []byte) error {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for name := range envelopeNames {
		delete(all, name)
	}
	*o = all
	return nil
}
