package lane

import (
	"os"
	"testing"

	"ferrus/store/memtemp"
)

func TestMain(m *testing.M) { os.Exit(memtemp.M{Tests: m}.Run()) }
