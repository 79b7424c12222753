package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/paths"
)

// resolve returns the policy with the real paths of what is there, and makes protected paths
// that are not.
func (p Policy) resolve(kind Kind) (Policy, error) {
	changing, err := findTrees(slices.Concat(p.Write, p.Shared))
	if err != nil {
		return p, err
	}
	if err := p.refuseLinks(changing); err != nil {
		return p, err
	}
	for _, list := range []*[]string{&p.Write, &p.Read, &p.Hide, &p.Sockets, &p.Devices} {
		for _, path := range *list {
			p.Links = append(p.Links, links(path)...)
		}
		if *list, err = changing.existing(*list); err != nil {
			return p, err
		}
	}
	if slices.Contains(p.Write, "/") {
		return p, errors.New("the whole file system would be writable: name narrower directories")
	}
	if kind == Landlock {
		return p, nil // It protects nothing inside a writable tree.
	}
	p.Protect = slices.Clone(p.Protect)
	for i, path := range p.Protect {
		if p.Protect[i], err = p.ensure(path); err != nil {
			return p, fmt.Errorf("protect %s: %w", path, err)
		}
	}
	p.Mounts = slices.Clone(p.Mounts)
	for i := range p.Mounts {
		if p.Mounts[i], err = p.resolveMount(p.Mounts[i], changing); err != nil {
			return p, err
		}
	}
	return p, nil
}

// refuseLinks leaves out what can be read by a link in a tree that programs inside change, and refuses such a link
// to anything else: what was written inside must not decide what the next program can reach.
func (p *Policy) refuseLinks(changing trees) error {
	planted := func(path string) (link string) {
		for _, l := range links(path) {
			if changing.hold(l.To) {
				return l.To
			}
		}
		return ""
	}
	for _, path := range slices.Concat(p.Write, p.Sockets, p.Devices) {
		if link := planted(path); link != "" {
			const why = "%s: %s is a symbolic link that programs inside can change; name its target"
			return fmt.Errorf(why, path, link)
		}
	}
	p.Read = slices.DeleteFunc(slices.Clone(p.Read), func(path string) bool { return planted(path) != "" })
	return nil
}

func (p Policy) resolveMount(m Mount, changing trees) (Mount, error) {
	var err error
	if m.From, err = changing.real(m.From); err != nil {
		return m, fmt.Errorf("mount: %w", err)
	}
	to := m.To
	if isDir(m.From) {
		to += "/"
	}
	if m.To, err = p.ensure(to); err != nil {
		return m, fmt.Errorf("mount over %s: %w", m.To, err)
	}
	return m, nil
}

// links returns the symbolic links on the way to a path.
func links(path string) (all []Mount) {
	for range maxLinks {
		link, next, err := firstLink(filepath.Clean(path))
		if err != nil || link == "" {
			return all
		}
		target, err := os.Readlink(link)
		if err != nil {
			return all
		}
		all, path = append(all, Mount{From: target, To: link}), next
	}
	return nil
}

// maxLinks is how many links the kernel follows.
const maxLinks = 40

// trees are the real paths of trees that programs inside change.
type trees []string

// findTrees returns the given trees that exist.
func findTrees(paths []string) (trees, error) { return trees{}.existing(paths) }

// hold reports whether a path is in a tree, below its top.
func (t trees) hold(path string) bool {
	return slices.ContainsFunc(t, func(top string) bool { return top != path && paths.Within(top, path) })
}

// real returns the real path of what is there. It follows no link in a tree that programs change: such a link may
// be another one by now than when it was looked at.
func (t trees) real(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is not an absolute path", path)
	}
	for range maxLinks {
		link, next, err := firstLink(filepath.Clean(path))
		switch {
		case err != nil:
			return "", err
		case link == "":
			return next, nil
		case t.hold(link):
			return "", fmt.Errorf("%s is a symbolic link that programs inside can change; name its target", link)
		}
		path = next
	}
	return "", fmt.Errorf("%s leads through too many symbolic links", path)
}

// firstLink returns the first symbolic link on the way to what is at a path, and the path past it; without one, the
// path.
func firstLink(path string) (link, next string, err error) {
	names := strings.Split(path, "/")
	for i := range names {
		at := "/" + filepath.Join(names[:i+1]...)
		info, err := os.Lstat(at)
		if err != nil {
			return "", "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		target, err := os.Readlink(at)
		if err != nil {
			return "", "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		return at, filepath.Join(append([]string{target}, names[i+1:]...)...), nil
	}
	return "", path, nil
}

// isOutOfReach reports whether a path is not there, or you cannot reach it: then no session of yours can.
func isOutOfReach(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// existing returns the real paths of all that are there and that you can reach.
func (t trees) existing(paths []string) ([]string, error) {
	var all []string
	for _, path := range paths {
		real, err := t.real(path)
		if isOutOfReach(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, real)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// ensure returns the real path of a part of a writable tree, and makes it if it is not
// there: a directory if it ends with a slash. It refuses symbolic links on the way: what
// was written inside must not decide what is mounted where. A path that is in no writable
// tree is returned as it is.
func (p Policy) ensure(path string) (string, error) {
	clean, dir := filepath.Clean(path), strings.HasSuffix(path, "/")
	for _, given := range []string{clean, realParent(clean)} {
		top := p.writable(given)
		if top == "" {
			continue
		}
		below, err := filepath.Rel(top, given)
		if err != nil {
			return "", err
		}
		return given, ensureBelow(top, below, dir)
	}
	return clean, nil
}

// realParent resolves the parts of a path that exist, without its last.
func realParent(path string) string {
	for above := filepath.Dir(path); above != "/"; above = filepath.Dir(above) {
		if real, err := filepath.EvalSymlinks(above); err == nil {
			below, _ := filepath.Rel(above, path) // Both are absolute.
			return filepath.Join(real, below)
		}
	}
	return path
}

// writable returns the outermost writable tree that a path is in; empty: none.
func (p Policy) writable(path string) string {
	for _, top := range p.Write { // sorted
		if paths.Within(top, path) {
			return top
		}
	}
	return ""
}

func ensureBelow(top, below string, dir bool) error {
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	parts := strings.Split(below, "/")
	for i := range parts {
		name := filepath.Join(parts[:i+1]...)
		last := i == len(parts)-1
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && (dir || !last):
			err = root.Mkdir(name, 0o755)
		case errors.Is(err, fs.ErrNotExist):
			err = makeFile(root, name)
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			err = fmt.Errorf("%s is a symbolic link; replace it with its target", filepath.Join(top, name))
		case err == nil && !last && !info.IsDir():
			err = fmt.Errorf("%s is not a directory", filepath.Join(top, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func makeFile(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// between returns the directories between the writable tree that a path is in and the path
// itself, the outermost first.
func (p Policy) between(path string) (all []string) {
	top := p.writable(path)
	if top == "" {
		return nil
	}
	for dir := filepath.Dir(path); dir != top && paths.Within(top, dir); dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	slices.Reverse(all)
	return all
}

// Shows reports whether a program inside sees a path of the outside at the same path. The policy
// need not be resolved.
func (p Policy) Shows(path string) bool {
	above := func(top string) bool { return paths.Within(filepath.Clean(top), path) }
	mounted := func(m Mount) bool { return m.From == m.To && above(m.To) }
	if slices.ContainsFunc(p.Hide, above) {
		return false
	}
	return slices.ContainsFunc(slices.Concat(systemRead, p.Read, p.Write), above) ||
		slices.ContainsFunc(p.Mounts, mounted)
}
