package agent

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// reaching is an adapter that knows the hosts that its program needs: of the model, of logins and of
// settings. Hosts of telemetry are not among them.
type reaching interface{ hosts() []string }

// Hosts returns the hosts that an agent needs, if its adapter knows.
func Hosts(a Adapter) []string {
	if r, ok := a.(reaching); ok {
		return r.hosts()
	}
	return nil
}

// modelURL matches a setting of a client that names the server of its model.
var modelURL = lazyregexp.New(`(?i)base_?url["']?\s*[:=]\s*["']?(https?://[^\s"',}]+)`)

// maxSettings is how much of a file of settings is read.
const maxSettings = 1 << 20

// ModelServers returns the servers of models, as host:port, that your environment or your own
// settings of a client name in the place of the vendor's.
func ModelServers(a Adapter, home string, environ []string) (all []string) {
	var texts []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasSuffix(name, "_BASE_URL") {
			texts = append(texts, "base_url="+value)
		}
	}
	for _, d := range Home(a).Dirs {
		dir := cmp.Or(os.Getenv(d.Variable), filepath.Join(home, d.Default))
		for _, name := range d.Copy {
			texts = append(texts, settings(filepath.Join(dir, d.Below, name)))
		}
	}
	for _, name := range Home(a).Named {
		texts = append(texts, settings(os.Getenv(name)))
	}
	for _, text := range texts {
		for _, match := range modelURL.FindAllStringSubmatch(text, -1) {
			if u, err := url.Parse(match[1]); err == nil && u.Hostname() != "" {
				port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
				all = append(all, net.JoinHostPort(u.Hostname(), port))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// settings returns the text of a file of settings; empty if it is none.
func settings(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings ||
		!slices.Contains([]string{".json", ".jsonc", ".toml", ".env"}, filepath.Ext(name)) {
		return ""
	}
	data, _ := os.ReadFile(name) // One that cannot be read names none.
	return string(data)
}
