package agent

import "errors"

func init() { register(demo{}) }

// demo is this program itself, which works from a script.
type demo struct{}

func (demo) Name() string       { return "demo" }
func (demo) Binary() string     { return "" }
func (demo) WaitSecs() int      { return defaultWaitSecs }
func (demo) Renderer() Renderer { return nil }

func (d demo) Invoke(l Launch) (Invocation, error) {
	if l.NoServer {
		return Invocation{}, errors.New("agent demo: it works only through ferrus's tools and reads no prompt")
	}
	l.Prompt = "as scripted"
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	return Invocation{
		Path:     l.Ferrus,
		Args:     append([]string{"demo-agent"}, l.serveFlags(d)...),
		Env:      append(l.env(), "FERRUS_WAIT_SECS="+l.waitSecs(d)),
		Headless: !l.Interactive,
	}, nil
}
