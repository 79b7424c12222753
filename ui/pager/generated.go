package pager

import (
	"path"
	"slices"
	"strings"

	"ferrus/ui/view"
)

// lockFiles are written by package managers.
var lockFiles = []string{
	"go.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "Cargo.lock",
	"poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock", "Gemfile.lock", "composer.lock", "mix.lock",
	"pubspec.lock", "Podfile.lock", "Package.resolved", "flake.lock", "gradle.lockfile",
}

// generatedEnds are how the names of generated files end.
var generatedEnds = []string{".pb.go", "_generated.go", ".gen.go", ".min.js", ".min.css", ".js.map", "_pb2.py", ".snap"}

// notForReading returns what a file is whose lines are not for reading; empty: they are.
func notForReading(f *view.FilePatch) string {
	switch {
	case f.Binary:
		return "binary"
	case isGenerated(f):
		return "generated"
	}
	return ""
}

// isGenerated reports whether a program writes a file, so that its lines are not for reading.
func isGenerated(f *view.FilePatch) bool {
	if slices.Contains(lockFiles, path.Base(f.Path)) ||
		slices.ContainsFunc(generatedEnds, func(end string) bool { return strings.HasSuffix(f.Path, end) }) {
		return true
	}
	const head = 600 // bytes: the remark is at the top
	top := f.Patch[:min(len(f.Patch), head)]
	return strings.Contains(top, "Code generated ") && strings.Contains(top, "DO NOT EDIT") ||
		strings.Contains(top, "@generated")
}
