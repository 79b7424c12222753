package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// system is what a cure depends on.
type system struct {
	os        string
	sysctl    func(name string) string // empty: the kernel has no such setting
	container bool
	confined  bool   // see [Confined]
	installer string // how to install bubblewrap
}

// Cure returns what to do so that the walls that an error is about become available.
func Cure(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return system{runtime.GOOS, sysctl, inContainer(), Confined(), installBubblewrap()}.cure(e.Output)
}

// cure returns what to do about what bubblewrap, the kernel or the probe said.
func (s system) cure(output string) string {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(output, part) })
	}
	switch {
	case s.os != "linux":
		return "run ferrus on Linux, or in a container or virtual machine with Linux"
	case has("it held here"):
		return "a program may have used up your processes, namespaces or open files: end sessions, then try again"
	case has("is not installed"):
		return "install bubblewrap: " + s.installer
	case s.confined && has("uid map", "amespace", "mount", "not permitted", "ermission denied"):
		return "ferrus itself runs in a sandbox, which allows no sandbox inside it: start ferrus outside, " +
			"in your own terminal"
	case s.sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1" &&
		has("RTM_NEWADDR", "uid map", "ermission denied"):
		return "AppArmor refuses user namespaces: allow them for bubblewrap in /etc/apparmor.d/bwrap " +
			"(profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }), then: sudo systemctl reload apparmor"
	case s.sysctl("kernel/unprivileged_userns_clone") == "0":
		return "user namespaces are off: sudo sysctl -w kernel.unprivileged_userns_clone=1"
	case s.sysctl("user/max_user_namespaces") == "0":
		return "user namespaces are off: sudo sysctl -w user.max_user_namespaces=15000"
	case s.container && has("mount proc", "namespace", "pivot", "uid map", "mount", "not permitted"):
		return "the container refuses namespaces: start it with --security-opt seccomp=unconfined " +
			"--security-opt apparmor=unconfined --security-opt systempaths=unconfined"
	case has("of Landlock", "the kernel has ABI"):
		return "update the kernel to Linux 6.2 or later, or install bubblewrap: " + s.installer
	case has("does not hold"):
		return "ferrus does not know this machine's kernel or bubblewrap: update both"
	}
	return "find out with: ferrus sandbox --explain -- true"
}

// sysctl returns a setting of the kernel; empty: it has no such setting.
func sysctl(name string) string {
	data, _ := os.ReadFile("/proc/sys/" + name) // Most kernels lack most of them.
	return strings.TrimSpace(string(data))
}

// Confined reports whether this process is inside a sandbox already, of ferrus or of another program: it
// can gain no privileges and its system calls are filtered.
func Confined() bool {
	data, _ := os.ReadFile("/proc/self/status") // Other systems have none.
	return confined(string(data))
}

func confined(status string) bool {
	has := func(name, value string) bool { return strings.Contains(status, "\n"+name+":\t"+value+"\n") }
	return has("NoNewPrivs", "1") && has("Seccomp", "2")
}

func inContainer() bool {
	for _, name := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return os.Getenv("container") != "" || os.Getenv("KUBERNETES_SERVICE_HOST") != ""
}

// installers are how systems install a package, by the program that does.
var installers = [][2]string{
	{"apt-get", "sudo apt-get install bubblewrap"}, {"dnf", "sudo dnf install bubblewrap"},
	{"zypper", "sudo zypper install bubblewrap"}, {"pacman", "sudo pacman -S bubblewrap"},
	{"apk", "sudo apk add bubblewrap"}, {"xbps-install", "sudo xbps-install bubblewrap"},
	{"emerge", "sudo emerge sys-apps/bubblewrap"}, {"nix-env", "nix-env -iA nixpkgs.bubblewrap"},
}

func installBubblewrap() string {
	for _, i := range installers {
		if _, err := exec.LookPath(i[0]); err == nil {
			return i[1]
		}
	}
	return "with your system's package manager"
}
