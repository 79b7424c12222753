package acp

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schema is what the protocol's schema says of the messages that are used: names of properties,
// which are required, and values of enumerations.
type schema struct {
	Definitions map[string]struct{ Properties, Required, Values []string }
}

// drafted are properties that only drafts of the schema have, by the name of their type.
var drafted = map[string][]string{
	"NewSessionResponse": {"models"}, "PromptResponse": {"usage"},
}

// Each field of a message is in the schema, and what the schema requires of a message that is
// sent is sent.
func TestMessagesMatchTheSchema(t *testing.T) {
	data, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		message any
		name    string // in the schema; empty: as here
		sent    bool
	}{
		{InitializeRequest{}, "", true}, {ClientCapabilities{}, "", true}, {FileSystemCapabilities{}, "", true},
		{Implementation{}, "", true}, {NewSessionRequest{}, "", true}, {LoadSessionRequest{}, "", true},
		{Server{}, "McpServerStdio", true}, {EnvVariable{}, "", true}, {PromptRequest{}, "", true},
		{ContentBlock{}, "TextContent", true}, {CancelNotification{}, "", true},
		{SetConfigOptionRequest{}, "SetSessionConfigOptionRequest", true}, {RequestPermissionResponse{}, "", true},
		{InitializeResponse{}, "", false}, {AgentCapabilities{}, "", false}, {AuthMethodAgent{}, "", false},
		{NewSessionResponse{}, "", false}, {PromptResponse{}, "", false}, {SessionNotification{}, "", false},
		{ToolCallUpdate{}, "", false}, {ToolCallUpdate{}, "ToolCall", false}, {ToolCallLocation{}, "", false},
		{PlanEntry{}, "", false}, {RequestPermissionRequest{}, "", false}, {PermissionOption{}, "", false},
	} {
		typ := reflect.TypeOf(m.message)
		name := m.name
		if name == "" {
			name = typ.Name()
		}
		def, ok := s.Definitions[name]
		if !ok {
			t.Errorf("the schema has no %s", name)
		}
		fields := fieldsOf(typ)
		for _, field := range fields {
			discriminator := name == "TextContent" && field == "type"
			if !slices.Contains(def.Properties, field) && !slices.Contains(drafted[name], field) && !discriminator {
				t.Errorf("%s has no property %s", name, field)
			}
		}
		for _, required := range def.Required {
			if m.sent && !slices.Contains(fields, required) {
				t.Errorf("%s is sent without %s", name, required)
			}
		}
	}
	for name, used := range map[string][]string{
		"PermissionOptionKind": {"allow_once", "reject_once", "reject_always"}, "StopReason": {"end_turn"},
		"ToolCallStatus": {"completed", "failed"}, "PlanEntryStatus": {"in_progress", "completed"},
		"ToolKind": {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"},
	} {
		for _, value := range used {
			if !slices.Contains(s.Definitions[name].Values, value) {
				t.Errorf("%s has no value %s", name, value)
			}
		}
	}
}

// fieldsOf returns the names of a struct's fields in JSON.
func fieldsOf(typ reflect.Type) (names []string) {
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
