package config

import (
	"fmt"
	"strings"
)

// messageSetter returns the setter of the template of a commit message, which may have several lines.
func messageSetter(at func(*Config) *string) setter {
	refused := func(r rune) bool { return isControl(r) && r != '\n' }
	return checked(textSetter(at, refused), at, isMessage)
}

// isMessage reports what is wrong with the template of a commit message.
func isMessage(s string) error {
	if s != "" && !strings.Contains(s, "{title}") {
		return fmt.Errorf("must contain {title}, so that every commit has a subject")
	}
	rest := strings.NewReplacer("{title}", "", "{summary}", "", "{task}", "", "{trailers}", "").Replace(s)
	if at := strings.IndexByte(rest, '{'); at >= 0 && strings.Contains(rest[at:], "}") {
		end := at + strings.IndexByte(rest[at:], '}')
		return fmt.Errorf("has %s, which is not one of {title}, {summary}, {task} and {trailers}", rest[at:end+1])
	}
	return nil
}
