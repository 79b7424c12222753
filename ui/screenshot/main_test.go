package main

import (
	"bytes"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunDrawsWhatItReads(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "screen.png")
	in := strings.NewReader("one\n\x1b[32m\x0eqqq\x0f two\n")
	if err := run([]string{"-lf", "-columns", "20", "-rows", "4", "-o", name}, in, io.Discard); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(b)); err != nil {
		t.Error(err)
	}
}

func TestRunSaysWhatItCannotDo(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "missing", "screen.png")
	err := run([]string{"-o", name}, strings.NewReader(""), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "write the picture") {
		t.Errorf("the error is %v", err)
	}
	if err := run([]string{"-colour"}, strings.NewReader(""), io.Discard); err == nil {
		t.Error("an unknown flag is accepted")
	}
}
