package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Cure returns what to do so that the walls that an error is about become available.
func Cure(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(e.Output, part) {
				return true
			}
		}
		return false
	}
	switch {
	case runtime.GOOS != "linux":
		return "run ferrus on Linux, or in a container or virtual machine with Linux"
	case has("is not installed"):
		return "install bubblewrap: " + installBubblewrap()
	case sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1" &&
		has("RTM_NEWADDR", "uid map", "ermission denied"):
		return "AppArmor refuses user namespaces: allow them for bubblewrap in /etc/apparmor.d/bwrap " +
			"(profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }), then: sudo systemctl reload apparmor"
	case sysctl("kernel/unprivileged_userns_clone") == "0":
		return "user namespaces are off: sudo sysctl -w kernel.unprivileged_userns_clone=1"
	case sysctl("user/max_user_namespaces") == "0":
		return "user namespaces are off: sudo sysctl -w user.max_user_namespaces=15000"
	case inContainer() && has("mount proc", "namespace", "pivot", "uid map", "mount", "not permitted"):
		return "the container refuses namespaces: start it with --security-opt seccomp=unconfined " +
			"--security-opt apparmor=unconfined --security-opt systempaths=unconfined"
	case has("does not hold"):
		return "this machine's kernel or bubblewrap is not what ferrus knows: update both"
	}
	return "find out with: ferrus sandbox --explain -- true"
}

// sysctl returns a setting of the kernel; empty: it has no such setting.
func sysctl(name string) string {
	data, _ := os.ReadFile("/proc/sys/" + name) // Most kernels lack most of them.
	return strings.TrimSpace(string(data))
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
