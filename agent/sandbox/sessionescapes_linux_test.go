package sandbox

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// sessionEscapes go by the programs of your desktop and of the system that do what they are asked to, by what git
// does later, and by machines near yours.
var sessionEscapes = []escape{
	{"connect to your display by a socket in /tmp", "...sx", connects("unix", "display"), reached("display")},
	{"connect to a socket beside the files of a tool", "...sx", connects("unix", "installed"), reached("installed")},
	{"connect to your display by a socket without a file", "....x", connects("unix", "bare display"),
		reached("bare display")},
	{"read the cookie of your display", "....x", reads("home/.Xauthority"), nil},
	{"find a socket of your login session", "....?", findsSocket, nil},
	{"have systemd start a program", "...??", func(*outside) error {
		me := strconv.Itoa(os.Getuid())
		return anyOf(
			dials("/run/systemd/private"), dials("/run/dbus/system_bus_socket"),
			dials("/run/systemd/io.systemd.Manager"),
			dials("/run/user/"+me+"/bus"), dials("/run/user/"+me+"/systemd/private"))
	}, nil},
	{"leave a unit for systemd", "....x", makes("home/.config/systemd/user"), there("home/.config/systemd/user")},
	{"leave a job for cron", "....?", func(*outside) error {
		return anyOf(writesNew("/var/spool/cron/crontabs/ferrus-forged"), writesNew("/var/spool/cron/ferrus-forged"),
			writesNew("/etc/cron.d/ferrus-forged"), writesNew("/etc/cron.hourly/ferrus-forged"))
	}, nil},
	{"leave a job for at", "....?", func(*outside) error {
		return anyOf(writesNew("/var/spool/cron/atjobs/ferrus-forged"), writesNew("/var/spool/at/ferrus-forged"))
	}, nil},
	{"leave a program for your next login", "....x", makes("home/.config/autostart"), there("home/.config/autostart")},
	{"write git's attributes", "...xx", makes("project/.git/info"), there("project/.git/info")},
	{"reach the loopback by its name in capitals", ".....", asksProxy("LOCALHOST:%s"), reached("refused")},
	{"reach a machine of your network", ".....", func(w *outside) error {
		return anyOf(asksProxy("192.168.0.1:80")(w), asksProxy("10.0.0.1:443")(w), asksProxy("172.16.0.1:80")(w),
			asksProxy("100.64.0.1:80")(w), asksProxy("[fd00::1]:80")(w), asksProxy("[fe80::1]:80")(w))
	}, nil},
	{"reach the metadata of a cloud by its name", ".....", func(w *outside) error {
		return anyOf(asksProxy("metadata.google.internal:80")(w), asksProxy("METADATA:80")(w),
			asksProxy("instance-data.:80")(w))
	}, nil},
	{"reach another port of an allowed address", ".....", asksProxy("127.0.0.1:1%a"), nil},
}

// anyOf returns nil if one of some attempts worked.
func anyOf(all ...error) error {
	for _, err := range all {
		if err == nil {
			return nil
		}
	}
	return errors.Join(all...)
}

func dials(path string) error {
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
	}
	return err
}

// findsSocket looks for a socket in the directories of sessions and services.
func findsSocket(*outside) error {
	found := errors.New("found")
	for _, top := range []string{"/run", "/var/run/", "/tmp/.X11-unix", "/tmp/.ICE-unix"} {
		err := filepath.WalkDir(top, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type()&fs.ModeSocket != 0 {
				return found
			}
			return nil // What cannot be read holds nothing for a program inside.
		})
		if errors.Is(err, found) {
			return nil
		}
	}
	return unix.ENOENT
}

func writesNew(name string) error {
	err := os.WriteFile(name, []byte("* * * * * root touch /tmp/forged\n"), 0o600)
	if err == nil {
		err = os.Remove(name)
	}
	return err
}

func makes(dir string) func(*outside) error {
	return func(w *outside) error { return os.MkdirAll(w.path(dir), 0o755) }
}
