package doctor

import (
	"os"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/store/memtemp"
)

func TestMain(m *testing.M) {
	sandbox.Main(os.Args[1:])
	os.Exit(memtemp.M{Tests: m}.Run())
}
