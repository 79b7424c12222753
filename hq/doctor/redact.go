package doctor

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/text/lazyregexp"
)

// hidden replaces a value that is not shown.
const hidden = "..."

// shown are the members of STATE.json whose strings may be seen, and in which
// form. Numbers, yes and no, and null are seen everywhere, other strings nowhere.
var shown = map[string]func(string) string{
	"state": state, "paused_state": state, "from": state, "paused": state,
	"since": redactedTime, "updated_at": redactedTime, "lease_until": redactedTime, "last_heartbeat": redactedTime,
	"at":      redactedTime,
	"verdict": verdict, "role": role, "claimed_by": who, "tree": hexadecimal, "commit": hexadecimal,
	"sha256": hexadecimal, "state_sha": hexadecimal, "event": event, "to": state,
}

// member are names that can be ours.
var member = lazyregexp.New(`^([a-z_0-9]{1,24}|[A-Z_]{1,20}\.md)$`)

// redact takes out of a JSON object what may be a secret or free text.
func redact(data []byte) (any, error) {
	var all map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	if err := decoder.Decode(&all); err != nil {
		return nil, err
	}
	return object("", all), nil
}

func object(name string, all map[string]any) map[string]any {
	out, odd := map[string]any{}, 0
	for key, value := range all {
		if !isMember(key) {
			odd++
			continue
		}
		out[key] = bare(key, value)
	}
	if odd > 0 {
		out["(others)"] = odd
	}
	return out
}

func bare(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		return object(name, v)
	case []any:
		if shown[name] == nil {
			return fmt.Sprintf("(%d values)", len(v))
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = bare(name, v[i])
		}
		return out
	case string:
		if form := shown[name]; form != nil {
			return form(v)
		}
		return fmt.Sprintf("(%d bytes)", len(v))
	}
	return value
}

// isMember reports a name that a STATE.json of ours may have.
func isMember(name string) bool { return member.MatchString(name) && members()[name] }

// members are the names of the state's members, of what the store puts beside them,
// and of the texts.
var members = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`schema_version seq updated_at owner_pid docs file sha256
		last line call result archived event to why data state_sha`) {
		names[name] = true
	}
	for _, name := range slices.Concat(core.TaskTexts, []string{core.TaskText}) {
		names[name] = true
	}
	addMembers(names, reflect.TypeFor[core.World]())
	return names
})

// addMembers adds the names that encoding/json gives to the members of a type.
func addMembers(names map[string]bool, t reflect.Type) {
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			names[name] = true
		}
		addMembers(names, t.Field(i).Type)
	}
}

func state(s string) string {
	if s == "" || slices.Contains(task.States, machine.State(s)) {
		return s
	}
	return hidden
}

func redactedTime(s string) string {
	if _, err := time.Parse(time.RFC3339Nano, s); err != nil {
		return hidden
	}
	return s
}

func verdict(s string) string {
	if slices.Contains([]checks.Verdict{"", checks.Pass, checks.Fail, checks.Timeout, checks.Cancelled,
		checks.Unproven, checks.Flaky}, checks.Verdict(s)) {
		return s
	}
	return hidden
}

// agentID is a role with a number; what the agent is called is not shown.
var agentID = lazyregexp.New(`^(supervisor|executor):.*:([0-9]{1,3})$`)

func who(s string) string {
	if s == "" || s == "person" || s == "ferrus" {
		return s
	}
	if m := agentID.FindStringSubmatch(s); m != nil {
		return m[1] + ":" + m[2]
	}
	return hidden
}

func role(s string) string {
	if slices.Contains([]string{"", "supervisor", "executor", "human", "ferrus"}, s) {
		return s
	}
	return hidden
}

func event(s string) string {
	if core.IsKind(machine.Kind(s)) {
		return s
	}
	return hidden
}

var sum = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})?$`)

func hexadecimal(s string) string {
	if sum.MatchString(s) {
		return s
	}
	return hidden
}
