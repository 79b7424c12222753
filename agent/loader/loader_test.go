package loader

import (
	"slices"
	"testing"
)

func TestHiddenVariablesComeBack(t *testing.T) {
	env := []string{"LD_PRELOAD=/x.so", "PATH=/bin", "GLIBC_TUNABLES=a=b", "LDFLAGS=-g", "RES_OPTIONS=x", "GODEBUG=a=1"}
	hidden := Hide(env)
	if want := []string{"FERRUS_INSIDE_LD_PRELOAD=/x.so", "PATH=/bin", "FERRUS_INSIDE_GLIBC_TUNABLES=a=b", "LDFLAGS=-g",
		"FERRUS_INSIDE_RES_OPTIONS=x", "FERRUS_INSIDE_GODEBUG=a=1"}; !slices.Equal(hidden, want) {
		t.Errorf("the hidden environment is %q, want %q", hidden, want)
	}
	if env[0] != "LD_PRELOAD=/x.so" {
		t.Error("the environment of the caller was changed")
	}
	t.Setenv("FERRUS_INSIDE_LD_PRELOAD", "/x.so")
	if got := Restore(); !slices.Equal(got, []string{"LD_PRELOAD=/x.so"}) {
		t.Errorf("Restore = %q, want LD_PRELOAD", got)
	}
	if got := Restore(); got != nil {
		t.Errorf("they are still there: %q", got)
	}
}
