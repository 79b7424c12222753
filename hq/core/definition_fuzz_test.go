package core

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzDefinition reads any commands of a gate: what is read is written and read
// again as the same.
func FuzzDefinition(f *testing.F) {
	f.Add(
		[]byte(
			`{"commands":["go test ./...",{"run":"x","name":"y","timeout_secs":0,"dir":"..","env":["A=b"]}],"tools":{"a":"b"}}`))
	f.Add([]byte(`{"commands":[null,7,{}]}`))
	f.Add([]byte(`{"commands":[null,"",{"run":"","env":[]}],"timeout_secs":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d Definition
		if json.Unmarshal(data, &d) != nil {
			return
		}
		d.Titles()
		d.Lines()
		written, err := json.Marshal(d.copied())
		if err != nil {
			t.Fatal(err)
		}
		var again Definition
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || string(twice) != string(written) || len(again.Commands) != len(d.Commands) ||
			!reflect.DeepEqual(again.Lines(), d.Lines()) {
			t.Errorf("%s became %s, %v; want no change", written, twice, err)
		}
	})
}
