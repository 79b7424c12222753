package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
)

// fillHostile puts hostile text into every string of a value, at any depth.
func fillHostile(v reflect.Value) (filled int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
		return 1
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fillHostile(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			raw, _ := json.Marshal(hostile) // a string has one
			v.SetBytes(raw)
			return 1
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled += fillHostile(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, name := range append([]string{hostile}, reportTexts...) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			filled += fillHostile(key) + fillHostile(value)
			key.SetString(name)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1_800_000_000, 0)))
			return 0
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled += fillHostile(v.Field(i))
			}
		}
	}
	return filled
}

// Whatever field an agent controls, a report shows its text and nothing else changes.
func TestReportsOfHostileText(t *testing.T) {
	var e evidence
	if filled := fillHostile(reflect.ValueOf(&e).Elem()); filled < 50 {
		t.Fatalf("only %d texts are played", filled)
	}
	inert(t, e.html(hostilePatch, hostile))
	var b strings.Builder
	if err := writeJSON(&b, e, "  "); err != nil {
		t.Fatal(err)
	}
	var back evidence
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back.Title != hostile ||
		back.Journal[0].Why != hostile || back.Gates[0].Why != hostile {
		t.Errorf("the JSON does not say what was written: %v", err)
	}
	for name, text := range map[string]string{"json": b.String(), "markdown": e.markdown(),
		"html": e.html(hostilePatch, hostile)} {
		for _, line := range strings.Split(text, "\n") {
			if i := strings.IndexFunc(line, func(r rune) bool {
				return unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
			}); i >= 0 {
				t.Errorf("%s: %.200q", name, line)
				break
			}
		}
	}
}
