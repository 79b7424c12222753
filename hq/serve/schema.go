package serve

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// structSchema returns the schema of a struct of arguments, without the null that a
// pointer may be: a member with nothing to say is left out.
func structSchema(arguments any) (map[string]any, error) {
	schema, err := jsonschema.ForType(reflect.TypeOf(arguments), nil)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	withoutNull(plain)
	if plain["properties"] == nil {
		plain["properties"] = map[string]any{}
	}
	return plain, nil
}

func withoutNull(node any) {
	switch node := node.(type) {
	case map[string]any:
		if types, ok := node["type"].([]any); ok {
			for _, t := range types {
				if t != "null" {
					node["type"] = t
				}
			}
		}
		for _, below := range node {
			withoutNull(below)
		}
	case []any:
		for _, below := range node {
			withoutNull(below)
		}
	}
}
