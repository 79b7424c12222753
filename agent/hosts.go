package agent

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/regular"
	"ferrus/ui/text/lazyregexp"
)

// reaching is an adapter that knows the hosts that its program needs: of the model, of logins and of
// settings. Hosts of telemetry are not among them.
type reaching interface{ hosts() []string }

// Hosts returns the hosts that an agent needs, if its adapter knows.
func Hosts(a Adapter) []string {
	if r, ok := resembled(a).(reaching); ok {
		return r.hosts()
	}
	return nil
}

// modelVariables match the names of variables that name the server of a model.
var modelVariables = lazyregexp.New(`(_BASE_URL|_API_BASE|AI_ENDPOINT|OLLAMA_HOST)$`)

// modelURL matches a setting of a client that names the server of its model.
var modelURL = lazyregexp.New(`(?i)(?:base_?url|api_?base|ai_?endpoint|ollama_?host)["']?\s*[:=]\s*["']?` +
	`(https?://[^\s"',}]+)`)

// maxSettings is how much of a file of settings is read.
const maxSettings = 1 << 20

// ollamaPort is where Ollama listens if OLLAMA_HOST does not say.
const ollamaPort = "11434"

// ModelServers returns the servers, as host:port, that your environment or your own settings of a
// client name: model servers that replace the vendor's, and your MCP servers. Those on your
// loopback are at localhost.
func ModelServers(a Adapter, home string, environ []string) (all []string) {
	var found []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !modelVariables.MatchString(name) {
			continue
		}
		if name == "OLLAMA_HOST" && !strings.Contains(value, "://") {
			if _, _, err := net.SplitHostPort(value); err != nil {
				value = net.JoinHostPort(strings.Trim(value, "[]"), ollamaPort)
			}
			value = "http://" + value
		}
		found = append(found, value)
	}
	for _, file := range settingsFiles(a, home) {
		for _, match := range modelURL.FindAllStringSubmatch(settings(file), -1) {
			found = append(found, match[1])
		}
	}
	for _, s := range OwnServers(a, home) {
		found = append(found, s.URL)
	}
	if c, ok := a.(custom); ok { // an argument is a setting, too
		for _, argument := range slices.Concat(c.Command, c.InteractiveCommand, c.ACP) {
			if at := strings.Index(argument, "http"); at >= 0 {
				found = append(found, argument[at:])
			}
		}
	}
	for _, text := range found {
		if server := serverOf(text); server != "" {
			all = append(all, server)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// serverOf returns host:port of a URL; empty if it is none.
func serverOf(text string) string {
	u, err := url.Parse(text)
	port := map[string]string{"http": "80", "https": "443"}
	if err != nil || u.Hostname() == "" || port[u.Scheme] == "" {
		return ""
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); ip.IsLoopback() || ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, cmp.Or(u.Port(), port[u.Scheme]))
}

// settingsFiles returns your files with settings of an agent, which may not be there.
func settingsFiles(a Adapter, home string) (files []string) {
	list := Home(a)
	for _, d := range list.Dirs {
		dir := cmp.Or(os.Getenv(d.Variable), filepath.Join(home, d.Default))
		for _, name := range d.Copy {
			files = append(files, filepath.Join(dir, d.Below, name))
		}
	}
	for _, name := range list.Named {
		if file := os.Getenv(name); name != "" && file != "" {
			files = append(files, file)
		}
	}
	return append(files, list.Files...)
}

// settingsTypes are the names' ends of files with settings.
var settingsTypes = []string{".json", ".jsonc", ".toml", ".env", ".yaml", ".yml", ".ini", ".conf", ".cfg"}

// settings returns the text of a file of settings; empty if it is none.
func settings(name string) string {
	if !slices.Contains(settingsTypes, filepath.Ext(name)) {
		return ""
	}
	return string(readBounded(name))
}

// readBounded returns the content of a regular file of at most maxSettings bytes; nil if it is anything else. An
// agent may have put a pipe there, which nothing ends, or a link to a device.
func readBounded(name string) []byte {
	data, err := regular.Read(name, maxSettings)
	if err != nil {
		return nil
	}
	return data
}
