package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/paths"
)

// systemRead are the trees of the system, which every program may read.
var systemRead = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc", "/sys", "/nix/store",
	"/gnu/store", "/snap", "/home/linuxbrew/.linuxbrew",
	"/var/lib/ca-certificates", "/var/lib/dpkg", "/var/cache/fontconfig",
}

// systemSecrets are parts of the system that hold secrets: as a rule root alone can read
// them, and ferrus may be run by root.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh/ssh_host_*_key", "/etc/sudoers",
	"/etc/sudoers.d", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/krb5.keytab", "/etc/wireguard",
	"/etc/NetworkManager/system-connections", "/etc/docker", "/etc/kubernetes", "/etc/rancher",
	"/etc/letsencrypt", "/etc/cron.d", "/etc/machine-id",
}

// systemFiles are files of /etc that may be links to files outside the system's trees.
var systemFiles = []string{"/etc/resolv.conf", "/etc/localtime", "/etc/hosts", "/etc/mtab"}

// usualDevices are the devices that every program may use. In a namespace they are new
// ones.
var usualDevices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
	"/dev/shm",
}

// kernelSettings are parts of /proc that change the whole machine. The kernel lets root write
// them, also a root without capabilities.
var kernelSettings = []string{
	"/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/asound", "/proc/driver", "/proc/dynamic_debug",
	"/proc/fs", "/proc/latency_stats", "/proc/mtrr", "/proc/pressure", "/proc/scsi", "/proc/tty",
}

// linkedFiles returns where files of /etc really are, if that is not in a tree that is
// readable anyway.
func linkedFiles() (all []string) {
	for _, name := range systemFiles {
		real, err := filepath.EvalSymlinks(name)
		readable := func(top string) bool { return paths.Within(top, real) }
		if err != nil || strings.HasPrefix(real, "/proc/") || slices.ContainsFunc(systemRead, readable) {
			continue
		}
		all = append(all, real)
	}
	return all
}

// rootSecrets are views of the kernel that it opens to root alone.
var rootSecrets = []string{
	"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/fs/bpf", "/sys/firmware",
	"/sys/devices/virtual/dmi/id/*serial", "/sys/devices/virtual/dmi/id/product_uuid",
	"/sys/bus/pci/devices/*/vpd", // serial numbers of cards, by links: the cards may be behind many others
}

// rootViews are the same of /proc, which in a namespace can be hidden one by one.
var rootViews = []string{
	"/proc/kpageflags", "/proc/kpagecount", "/proc/kpagecgroup", "/proc/vmallocinfo", "/proc/slabinfo",
	"/proc/timer_list", "/proc/kallsyms", "/proc/iomem", "/proc/ioports",
}

// withSecrets returns the policy with secrets hidden, unless it names them or programs on PATH are in them.
func (p Policy) withSecrets(all []string) Policy {
	needed := slices.Concat(p.Read, p.Write)
	for _, m := range p.Mounts {
		needed = append(needed, m.From)
	}
	named := len(needed)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			needed = append(needed, real)
		}
	}
	p.Hide = slices.Clone(p.Hide)
	for _, secret := range all {
		holds := func(path string) bool { return paths.Within(secret, path) }
		isIn := func(path string) bool { return paths.Within(path, secret) }
		if !slices.ContainsFunc(needed, holds) && !slices.ContainsFunc(needed[:named], isIn) {
			p.Hide = append(p.Hide, secret)
		}
	}
	return p
}

// withoutState returns the policy with ferrus's own record of what you decided hidden, where it is in a tree that
// programs may read or change: whom you trust, and the heads of journals.
func (p Policy) withoutState(dir string) Policy {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	shown := slices.Concat(p.Read, p.Write)
	for _, m := range p.Mounts {
		shown = append(shown, m.From)
	}
	holds := func(tree string) bool {
		if real, err := filepath.EvalSymlinks(tree); err == nil {
			tree = real
		}
		return paths.Within(tree, dir)
	}
	if dir != "" && slices.ContainsFunc(shown, holds) {
		p.Hide = append(slices.Clone(p.Hide), dir)
	}
	return p
}

// hidden returns the secrets of the system that are there.
func hidden() []string { return hiddenBelow("/", geteuid() == 0) }

// geteuid returns the user that programs inside are. Only a benchmark has another one.
var geteuid = os.Geteuid

// hiddenBelow returns the secrets of a system at a directory, of what root or another user could read.
func hiddenBelow(top string, root bool) (all []string) {
	patterns := systemSecrets
	if root {
		patterns, all = slices.Concat(systemSecrets, rootSecrets), rootOnly(filepath.Join(top, "etc"))
	}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(top, pattern)) // The patterns are well-formed.
		for _, name := range found {
			if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink != 0 {
				continue
			}
			if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
				all = append(all, filepath.Join(dir, filepath.Base(name)))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shortTemp returns a directory for temporary files in which the path of a socket fits into
// the 108 bytes that Linux has for it.
func shortTemp() string {
	const longest = 64 // the rest is for the socket
	if dir := os.TempDir(); len(dir) <= longest {
		return dir
	}
	return "/tmp"
}
