package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"ferrus/machine"
)

// textLimit bounds one argument; what is longer belongs into a file.
const textLimit = 4 << 20

// given reads the arguments of a call: by name, and as a pointer to the tool's struct
// where it has one. The map tells equal calls from others either way.
func (t tool) given(data json.RawMessage) (map[string]string, any, error) {
	if t.accepts != nil {
		return t.bindStruct(data)
	}
	arguments, err := t.bind(data)
	return arguments, nil, err
}

// bind reads arguments by name. All are strings; a number is taken for its digits.
func (t tool) bind(data json.RawMessage) (map[string]string, error) {
	given := map[string]any{}
	if len(bytes.TrimSpace(data)) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&given); err != nil {
			return nil, t.badArgs("the arguments are not a JSON object", "an object with the parameters by name")
		}
	}
	arguments := map[string]string{}
	for _, p := range t.params {
		value, ok := given[p.name]
		delete(given, p.name)
		switch value := value.(type) {
		case string:
			if len(value) > textLimit {
				return nil, t.badArgs(fmt.Sprintf("%s is longer than 4 MiB", p.name),
					"a shorter text; put long content in a file")
			}
			arguments[p.name] = value
		case json.Number:
			arguments[p.name] = value.String()
		case nil:
			if !p.optional {
				return nil, t.badArgs(fmt.Sprintf("the argument %s is missing", p.name), p.name+": "+p.about)
			}
		default:
			if ok {
				return nil, t.badArgs(fmt.Sprintf("the argument %s is not a string", p.name), p.name+": "+p.about)
			}
		}
	}
	for name := range given {
		return nil, t.badArgs(fmt.Sprintf("unknown argument %q", name), t.usage())
	}
	return arguments, nil
}

func (t tool) usage() string {
	if len(t.params) == 0 {
		return "no arguments"
	}
	words := "only"
	for _, p := range t.params {
		words += " " + p.name
	}
	return words
}

// bindStruct reads arguments into the struct of the tool; what it does not know is
// refused.
func (t tool) bindStruct(data json.RawMessage) (map[string]string, any, error) {
	value := reflect.New(reflect.TypeOf(t.accepts)).Interface()
	text := cmp.Or(strings.TrimSpace(string(data)), "{}")
	if len(text) > textLimit {
		return nil, nil, t.badArgs("the arguments are longer than 4 MiB", "shorter texts; put long content in a file")
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return nil, nil, t.badArgs("the arguments do not match the schema: "+strings.TrimPrefix(err.Error(), "json: "),
			"arguments that match the tool's schema")
	}
	return map[string]string{"": text}, value, nil
}

// workflowMachine is the machine of a refusal that came to no workflow's table.
const workflowMachine = "workflow"

// badArgs refuses a call that never came to the table.
func (t tool) badArgs(reason, expected string) error {
	of := "task"
	if t.accepts != nil {
		of = workflowMachine
	}
	return &machine.Refusal{
		Code: machine.GuardFailed, Machine: of, Event: machine.Kind(t.name),
		Failed: []machine.Failed{{Guard: "arguments", Reason: reason, Expected: expected, Fix: "call " + t.name +
			" again with: " + expected}},
	}
}
