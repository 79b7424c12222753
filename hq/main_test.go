package hq_test

import (
	"os"
	"testing"

	"ferrus/store/memtemp"
)

func TestMain(m *testing.M) {
	memtemp.LessGarbage()
	os.Exit(m.Run())
}
