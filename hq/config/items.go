package config

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/proxy"
)

// checkedList returns the setter of a list of strings. For a string that is not allowed,
// check returns what it must be, such as NAME or NAME=value, and else nothing.
func checkedList(at func(*Config) *[]string, check func(item string) string) setter {
	return func(c *Config, _ string, value any) error {
		list, err := stringList(value)
		if err != nil {
			return err
		}
		for i, item := range list {
			if must := check(item); must != "" {
				return fmt.Errorf("item %d is %q, but must be %s", i+1, item, must)
			}
		}
		*at(c) = append([]string(nil), list...)
		return nil
	}
}

// isPattern checks a pattern of files.
func isPattern(item string) string {
	if _, err := path.Match(item, ""); err != nil || !filepath.IsLocal(item) {
		return "a file or a pattern inside the project"
	}
	return ""
}

// isInside checks a path below the project.
func isInside(item string) string {
	if !filepath.IsLocal(item) || filepath.Clean(item) == "." {
		return "a path inside the project"
	}
	return ""
}

// isOutside checks a path that is not below the project.
func isOutside(item string) string {
	if !filepath.IsAbs(item) && !strings.HasPrefix(item, "~/") || filepath.Clean(item) == "/" {
		return "an absolute path or one that starts with ~/, but not /"
	}
	return ""
}

// isDevice checks the name of a device.
func isDevice(item string) string {
	if clean := filepath.Clean(item); !strings.HasPrefix(clean, "/dev/") {
		return "a path below /dev"
	}
	return ""
}

// isHost checks a host that the proxy lets through.
func isHost(item string) string {
	if proxy.CheckHost(item) != nil {
		return "a host name such as example.com, *.example.com or example.com:8443, or *"
	}
	return ""
}

// isPort checks a service that the proxy lets through.
func isPort(item string) string {
	if proxy.CheckPort(item) != nil {
		return "a port such as 5432, or host:port"
	}
	return ""
}

// isVariable checks a variable of the environment, with a value or without.
func isVariable(item string) string {
	if name, _, _ := strings.Cut(item, "="); !envName.MatchString(name) {
		return "NAME or NAME=value"
	}
	return ""
}

// isServer checks the URLs of NATS servers.
func isServer(s string) error {
	for _, one := range strings.Split(s, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return errors.New(`must be like "nats://nats.example.com:4222", or several of them with commas`)
		}
		if u.User != nil {
			return errors.New("must not contain a login, which everyone with the repository could read; set creds")
		}
	}
	return nil
}

// ownFile checks the path of your file.
func ownFile(s string) error {
	if must := isOutside(s); must != "" {
		return errors.New("must be " + must)
	}
	return nil
}

// label sets a label of workers; empty: none.
func label(at func(*Config) *string) setter {
	return validated(at, func(s string) error {
		if must := isLabel(s); s != "" && must != "" {
			return fmt.Errorf("is %q, but must be %s", s, must)
		}
		return nil
	})
}

// isGuest checks who may join.
func isGuest(s string) string {
	user, host, _ := strings.Cut(s, "@")
	if !isToken(user, 40) || !isToken(host, 60) {
		return "user@host, with letters, digits, - and _"
	}
	return ""
}

// isToken reports whether a text can be in a subject of a NATS server.
func isToken(s string, most int) bool {
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r) && r != '-' && r != '_'
	})
}

// isLabel checks a label of a worker.
func isLabel(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == ',' || r == 0x7f }) {
		return "one word without commas"
	}
	return ""
}
