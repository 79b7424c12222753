package sandbox

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// seatbeltProgram starts a program in a sandbox of macOS, which a profile describes.
const seatbeltProgram = "/usr/bin/sandbox-exec"

// seatbeltBase are the rules of every profile: the last one that fits counts. Programs can be started, and signal
// each other; terminals can be made; services of the system that compilers and runtimes need can be asked. The
// keychain, launchd and programs of your session cannot.
const seatbeltBase = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* ipc-posix-shm-write-create ipc-posix-shm-write-data)
(allow pseudo-tty)
(allow file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* file-write* (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/autofs_nowait"))
(allow file-read* (subpath "/dev/fd"))
(allow file-read-metadata)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.logd")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.trustd.agent"))
(allow network*)
(deny network-outbound (remote unix-socket))
(deny network-bind (local unix-socket))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
`

// seatbeltRead are the trees of the system.
var seatbeltRead = []string{
	"/bin", "/sbin", "/usr", "/System", "/Library/Apple", "/Library/Developer", "/Library/Frameworks", "/Library/Java",
	"/Applications/Xcode.app", "/opt/homebrew", "/opt/local", "/private/etc", "/private/var/db/timezone",
	"/private/var/db/dyld", "/private/var/select", "/nix/store",
}

// seatbeltHide are parts of these trees with secrets.
var seatbeltHide = []string{"/private/etc/master.passwd", "/private/etc/sudoers", "/private/etc/sudoers.d",
	"/private/etc/ssh", "/private/etc/krb5.keytab"}

// seatbelt returns the profile of a policy. What the policy protects cannot be changed, and neither it nor the
// directories between it and the top of the writable tree can be moved away.
func (p Policy) seatbelt() (string, error) {
	var b strings.Builder
	b.WriteString(seatbeltBase)
	rule := func(action, filter string, paths ...string) error {
		for _, path := range paths {
			quoted, err := seatbeltString(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "(%s (%s %s))\n", action, filter, quoted)
		}
		return nil
	}
	var pinned []string
	for _, path := range p.Protect {
		pinned = append(pinned, append(p.between(filepath.Clean(path)), filepath.Clean(path))...)
	}
	clean := func(paths []string) (all []string) {
		for _, path := range paths {
			all = append(all, filepath.Clean(path))
		}
		return all
	}
	for _, step := range []struct {
		action, filter string
		paths          []string
	}{
		{"allow file-read*", "literal", []string{"/"}},
		{"allow file-read*", "subpath", seatbeltRead},
		{"deny file-read-data file-read-xattr", "subpath", seatbeltHide},
		{"allow file-read*", "subpath", clean(p.Read)},
		{"allow file-read* file-write*", "subpath", clean(p.Write)},
		{"allow network-bind", "subpath", clean(p.Write)},
		{"allow network-outbound", "subpath", clean(p.Write)},
		{"deny file-write*", "subpath", clean(p.Protect)},
		{"deny file-write-unlink", "literal", pinned},
		{"deny file-read* file-write*", "subpath", clean(p.Hide)},
		{"allow file-read* file-write* network-outbound", "literal", clean(p.Sockets)},
		{"allow file-read* file-write* file-ioctl", "literal", clean(p.Devices)},
		{"deny file-write-setugid", "subpath", []string{"/"}},
	} {
		if err := rule(step.action, step.filter, step.paths...); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// seatbeltString quotes a path for a profile.
func seatbeltString(path string) (string, error) {
	for _, r := range path {
		if r < ' ' || r == 0x7f {
			return "", fmt.Errorf("%q has a control character, which a macOS sandbox profile cannot contain", path)
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`, nil
}

// seatbeltCommand returns the command line that starts a program inside a sandbox of macOS.
func (p Policy) seatbeltCommand(argv []string) ([]string, error) {
	profile, err := p.seatbelt()
	if err != nil {
		return nil, err
	}
	if strings.Contains(argv[0], "=") {
		return nil, fmt.Errorf("start %s in the sandbox: env(1) would read it as a variable assignment", argv[0])
	}
	dir := cmp.Or(p.Dir, ".")
	full := []string{seatbeltProgram, "-p", profile, "/bin/sh", "-c", `cd -- "$0" && exec /usr/bin/env -- "$@"`, dir}
	return slices.Concat(full, p.Env, argv), nil
}
