package lane

import (
	"path"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/ui/text/lazyregexp"
)

// The words of commands that read no file of the tree: they make an environment of Python, and install named packages
// there. A word in quotes may have signs that a shell understands otherwise.
var (
	plainWord  = lazyregexp.New(`^[A-Za-z0-9._/=~+-]+$`)
	quotedWord = lazyregexp.New(`^(?:'[A-Za-z0-9._=<>~!,*\[\]+-]+'|"[A-Za-z0-9._=<>~,*\[\]+-]+")$`)
	venvDir    = lazyregexp.New(`^\.?[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	venvPip    = lazyregexp.New(`^\.?[A-Za-z0-9_][A-Za-z0-9._-]*/bin/pip3?$`)
	// A name, extras and versions. What ends like an archive is a file where there is one.
	named = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]+\])?` +
		`(([=~!<>]=|[<>])[A-Za-z0-9.*+!]+(,([=~!<>]=|[<>])[A-Za-z0-9.*+!]+)*)?$`)
	archive = lazyregexp.New(`(?i)\.(whl|zip|tar|tgz|tbz|txz|tlz|tar\.[a-z0-9]+)$`)
	quiet   = lazyregexp.New(`^(-q+|--quiet|-U|--upgrade|--disable-pip-version-check|--no-input)$`)
	bare    = lazyregexp.New(`^(--without-pip|--upgrade-deps|--clear|--system-site-packages)$`)
)

// environments returns the directories of the environments of Python that setup commands make, if they read no file
// but those in there. A module of the project with the name of one of Python's does not count: no output of setup
// depends on it, only whether setup fails.
func (j Job) environments() (dirs []string, ok bool) {
	for _, entry := range j.Env {
		if strings.HasPrefix(entry, "PIP_") || strings.HasPrefix(entry, "PYTHON") {
			return nil, false // It can name a file.
		}
	}
	for _, c := range j.Setup {
		if len(c.Env) > 0 || c.Dir != "" {
			return nil, false
		}
		for line := range strings.SplitSeq(c.Run, "&&") {
			dir, ok := makesEnvironment(line)
			if !ok {
				return nil, false
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs, len(j.Setup) > 0
}

// makesEnvironment returns the directory in which a command makes an environment, or installs named packages.
func makesEnvironment(line string) (dir string, ok bool) {
	words := strings.Fields(line)
	for i, word := range words {
		switch {
		case quotedWord.MatchString(word):
			words[i] = word[1 : len(word)-1]
		case !plainWord.MatchString(word) || strings.Contains(word[:1], "~") || i == 0 && strings.Contains(word, "="):
			return "", false
		}
	}
	if len(words) < 3 {
		return "", false
	}
	switch {
	case (words[0] == "python3" || words[0] == "python") && words[1] == "-m" && words[2] == "venv":
		rest := slices.DeleteFunc(words[3:], bare.MatchString)
		return strings.Join(rest, " "), len(rest) == 1 && venvDir.MatchString(rest[0])
	case venvPip.MatchString(words[0]) && words[1] == "install":
		rest := slices.DeleteFunc(words[2:], quiet.MatchString)
		isFile := func(word string) bool { return !named.MatchString(word) || archive.MatchString(word) }
		dir, _, _ := strings.Cut(words[0], "/")
		return dir, len(rest) > 0 && !slices.ContainsFunc(rest, isFile)
	}
	return "", false
}

// inside returns those of some files that are in directories of a project.
func inside(files []git.TreeEntry, project string, dirs []string) []git.TreeEntry {
	return slices.DeleteFunc(slices.Clone(files), func(e git.TreeEntry) bool {
		return !slices.ContainsFunc(dirs, func(dir string) bool {
			dir = path.Join(project, dir)
			return e.Path == dir || strings.HasPrefix(e.Path, dir+"/")
		})
	})
}
