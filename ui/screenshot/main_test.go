package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRunDrawsWhatItReads(t *testing.T) {
	t.Parallel()
	var picture strings.Builder
	in := strings.NewReader("one\n\x1b[32m\x0eqqq\x0f two\n")
	if err := run([]string{"-lf", "-columns", "20", "-rows", "4"}, in, &picture, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg ", ">one</text>", ">two</text>", "h9M"} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("no %q in\n%s", want, &picture)
		}
	}
}

func TestRunReportsErrors(t *testing.T) {
	t.Parallel()
	err := run(nil, strings.NewReader(""), full{}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "write the picture: no space") {
		t.Errorf("got %v", err)
	}
	if err := run([]string{"-colour"}, strings.NewReader(""), io.Discard, io.Discard); err == nil {
		t.Error("an unknown flag is accepted")
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }
