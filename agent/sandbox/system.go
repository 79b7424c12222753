package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// systemFiles are files of /etc that may be links to files outside of the system's trees.
var systemFiles = []string{"/etc/resolv.conf", "/etc/localtime", "/etc/hosts", "/etc/mtab"}

// usualDevices are the devices that every program may use. In a namespace they are new
// ones.
var usualDevices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
	"/dev/shm",
}

// linkedFiles returns where files of /etc really are, if that is not in a tree that is
// readable anyway.
func linkedFiles() (all []string) {
	for _, name := range systemFiles {
		real, err := filepath.EvalSymlinks(name)
		readable := func(top string) bool { return within(top, real) }
		if err != nil || strings.HasPrefix(real, "/proc/") || slices.ContainsFunc(systemRead, readable) {
			continue
		}
		all = append(all, real)
	}
	return all
}

// hidden returns the secrets of the system that are there.
func hidden() (all []string) {
	for _, pattern := range systemSecrets {
		found, _ := filepath.Glob(pattern) // The patterns are well-formed.
		for _, name := range found {
			if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink == 0 {
				all = append(all, name)
			}
		}
	}
	return all
}
