package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"ferrus/agent/paths"
	"ferrus/agent/sandbox/stage"
)

// The versions of Landlock.
const (
	abiLeast   = 3 // without it a file can be truncated
	abiIoctl   = 5
	abiScopes  = 6 // signals and abstract sockets
	abiSockets = 9
)

// landlockVersions are what each version of the kernel can restrict.
var landlockVersions = []landlock.Config{
	3: landlock.V3, 4: landlock.V4, 5: landlock.V5, 6: landlock.V6, 7: landlock.V7, 8: landlock.V8,
	9: landlock.V9, 10: landlock.V10, 11: landlock.V11,
}

// landlockABI returns the version of the kernel, 0 without any.
func landlockABI() int {
	abi, err := llsyscall.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

func landlockConfig(abi int) (landlock.Config, error) {
	if abi < abiLeast {
		return landlock.Config{}, fmt.Errorf("the kernel's Landlock ABI is %d, and %d is needed", abi, abiLeast)
	}
	return landlockVersions[min(abi, len(landlockVersions)-1)], nil
}

// landlock restricts this process to the files of a policy, and its signals and abstract
// sockets to what is inside.
func (p Policy) landlock(abi int) error {
	config, err := landlockConfig(abi)
	if err != nil {
		return err
	}
	// In one step: a second one would refuse every link and move between directories.
	own := []any{config.HandledAccessFS}
	if abi >= abiScopes {
		own = append(own, config.Scoped)
	}
	both, err := landlock.NewConfig(own...)
	if err == nil {
		err = both.Restrict(p.landlockRules(abi)...)
	}
	if err != nil {
		return fmt.Errorf("restrict files and signals with Landlock: %w", err)
	}
	return nil
}

// landlockRules returns the files of a policy.
func (p Policy) landlockRules(abi int) []landlock.Rule {
	read, write := slices.Concat(systemRead, linkedFiles(), p.Read, []string{"/proc"}), p.Write
	if self, err := os.Executable(); err == nil {
		read = append(read, self)
	}
	for _, m := range p.Mounts {
		if m.From == m.To && m.Write {
			write = append(write, m.From)
		} else if m.From == m.To {
			read = append(read, m.From)
		}
	}
	secrets := slices.Concat(hidden(), p.Hide)
	held := trees(slices.Concat(p.Write, p.Shared))
	var rules []landlock.Rule
	for _, m := range p.Mounts { // a session's door is in one
		if isDir(m.From) && m.From == m.To && abi >= abiSockets {
			rules = append(rules, landlock.RODirs(held.pin(m.From)).WithResolveUnix().IgnoreIfMissing())
		}
	}
	for _, path := range read {
		rules = append(rules, held.readable(path, secrets)...)
	}
	for _, path := range slices.Concat(write, usualDevices, p.Devices) {
		rules = append(rules, writableRule(held.pin(path), abi))
	}
	for _, path := range p.Sockets {
		rule := landlock.RWFiles(held.pin(path)).IgnoreIfMissing()
		if abi >= abiSockets {
			rule = rule.WithResolveUnix()
		}
		rules = append(rules, rule)
	}
	return rules
}

// readable returns the rules to read a tree without some parts of it: of a directory with
// such a part, every other entry is named.
func (t trees) readable(path string, secrets []string) []landlock.Rule {
	if slices.Contains(secrets, path) {
		return nil
	}
	at := t.pin(path)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil
	case !info.IsDir():
		return []landlock.Rule{landlock.ROFiles(at).IgnoreIfMissing()}
	case !slices.ContainsFunc(secrets, func(secret string) bool { return paths.Within(path, secret) }):
		return []landlock.Rule{landlock.RODirs(at).IgnoreIfMissing()}
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	list := landlock.AccessFSSet(llsyscall.AccessFSReadDir)
	rules := []landlock.Rule{landlock.PathAccess(list, at).IgnoreIfMissing()}
	for _, entry := range entries {
		if name := filepath.Join(path, entry.Name()); entry.Type()&os.ModeSymlink == 0 {
			rules = append(rules, t.readable(name, secrets)...)
		}
	}
	return rules
}

// pin returns a path that leads to the same file whatever other programs do: of one in a tree that they change, a
// descriptor of this process, which ends with it. What is a link by now leads nowhere.
func (t trees) pin(path string) string {
	if !t.hold(path) {
		return path
	}
	fd, err := stage.OpenReal(path)
	if err != nil {
		return "/dev/fd/none"
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd)
}

func writableRule(path string, abi int) landlock.Rule {
	info, err := os.Stat(path)
	rule := landlock.RWFiles(path)
	if err == nil && info.IsDir() {
		rule = landlock.RWDirs(path).WithRefer()
	}
	if abi >= abiIoctl {
		rule = rule.WithIoctlDev()
	}
	return rule.IgnoreIfMissing()
}
