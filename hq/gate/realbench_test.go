package gate

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/hqtest"
)

// BenchmarkGateOf is BenchmarkGate for your project in FERRUS_BENCH_PROJECT, with the command in
// FERRUS_BENCH_COMMAND.
func BenchmarkGateOf(b *testing.B) {
	dir, command := os.Getenv("FERRUS_BENCH_PROJECT"), os.Getenv("FERRUS_BENCH_COMMAND")
	if dir == "" || command == "" {
		b.Skip("set FERRUS_BENCH_PROJECT and FERRUS_BENCH_COMMAND")
	}
	if w, err := sandbox.Choose(b.Context(), sandbox.Auto, sandbox.Open); err != nil || w.Kind == sandbox.None {
		b.Skip("no walls here")
	}
	files := hqtest.Files{}
	hqtest.Must(b, fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if e.IsDir() && (e.Name() == ".git" || e.Name() == "target" || e.Name() == "node_modules") {
			return fs.SkipDir
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	}))
	files[".gitignore"] = ".ferrus/\ntarget/\n__pycache__/\nnode_modules/\n"
	benchGate(b, command, files)
}
