package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/store/longtest"
	"ferrus/ui"
	"ferrus/ui/keys"
)

// echoing is an agent that prints its input byte for byte, after sixty lines, two prompts of a
// shell and, if there is a file named offers, a text for the clipboard. A headless one gets no
// input and waits.
const echoing = `i=0
while test $i -lt 60; do i=$((i+1)); echo "line $i of the needle"; done
printf '\033]133;A\007$ first prompt\n'
echo one
printf '\033]133;A\007$ second prompt\n'
test -e ../offers && echo one >one.txt && echo two >two.txt && printf '\033]52;c;YW4gb2ZmZXJlZCB0ZXh0\007'
echo ready
stty raw -echo 2>/dev/null || exec sleep 1000
exec cat -v
`

// echoHQ opens HQ on a task whose executor echoes in a pane of its own. More is
// the end of its ferrus.toml.
func echoHQ(t *testing.T, more string, keys map[string][]string) *user {
	t.Helper()
	dir, env := echoProject(t, more)
	if err := os.WriteFile(filepath.Join(dir, "..", "offers"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return atWork(t, dir, append(env, "VISUAL=", `EDITOR=sed -i "s/the draft/the edited draft/"`), keys)
}

// atWork opens HQ on an echoing project and creates its task.
func atWork(t *testing.T, dir string, env []string, keys map[string][]string) *user {
	t.Helper()
	h := &user{openWith(t, dir, 120, 40, env), keys}
	h.WaitFor("No task yet")
	h.Type(h.bytes("/task --now Do it{send}"))
	h.WaitFor("│ready")
	return h
}

func echoProject(t *testing.T, more string) (dir string, env []string) {
	t.Helper()
	root := t.TempDir()
	dir = filepath.Join(root, "app")
	toml := `[checks]
commands = ["true"]
[session]
grace_secs = 1
[hq.supervisor]
agent = "echoing"
[hq.executor]
agent = "echoing"
interactive = true
[agent.echoing]
command = ["sh", "../agent.sh"]
interactive_command = ["sh", "../agent.sh"]
` + more
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"app/ferrus.toml": toml, "app/code.txt": "code\n", "agent.sh": echoing} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(root, "state"), "XDG_CONFIG_HOME="+
		filepath.Join(root, "config"), "FERRUS_PROJECT=", "FERRUS_NONCE=")
	for _, line := range []string{"git init --quiet", "git config user.name a", "git config user.email a@b",
		"ferrus init --yes", "ferrus trust --yes", "git add -A", "git commit --quiet -m first"} {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = dir, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	return dir, env
}

// TestEveryKeyIsStruck presses every key of the table in a real HQ.
func TestEveryKeyIsStruck(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	h := echoHQ(t, "", nil)
	struck := map[string]bool{}
	for _, k := range ui.Keys {
		struck[keyName(k)] = true
		i := slices.IndexFunc(keyCases, func(s keyCase) bool { return s.key == keyName(k) })
		if i < 0 {
			continue // see TestEverythingIsPlayed
		}
		h.strike(keyCases[i], k)
	}
	h.Type("\x03\x03")
	h.WaitExit(0)
}

// TestRemappedKeys gives every action that can be remapped another key: the new keys do what the
// table says, and the old ones do nothing any more.
func TestRemappedKeys(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	toml, asked := remapped(t)
	h := echoHQ(t, toml, asked)
	bound := ui.Keys.Bind(asked)
	for i, k := range ui.Keys {
		if k.Fixed {
			continue
		}
		n := slices.IndexFunc(keyCases, func(s keyCase) bool { return s.key == keyName(k) })
		if n < 0 {
			continue
		}
		s, usual := keyCases[n], [2]int{h.borders(), h.floor()}
		for n, strike := range k.Keys {
			if s.back == "{no}" {
				continue // it begins a run of keys that answer no question, as TestABurstOfKeysAnswersNoQuestion has it
			}
			h.nothing(s, k, strike, fmt.Sprintf("zq%dq%dqz", i, n))
		}
		h.strike(s, bound[i])
		if s.back == "{leave}" { // the next key is struck outside again
			h.Type(h.bytes("{leave}"))
		}
		if s.shift != [2]int{} { // and between the usual borders
			h.Type(h.bytes("{leader}{usual}"))
			h.Wait("the usual borders", func() bool { return [2]int{h.borders(), h.floor()} == usual })
		}
	}
	h.Type(h.bytes("x{quit}{quit}"))
	h.WaitExit(0)
}

// freeKeys are keys without a meaning of their own, for the places of an action; those after the
// leader are none that the tests type.
var freeKeys = map[string][]string{
	"prompt": strings.Split("qweiyuprsghjklzxcvnmat", ""), "leader": strings.Split("acfghikoqruwx,;:.!&@%~", ""),
	"pane": {"ctrl+g"},
	"": append(strings.Split("acdefimoprstuw,.;:!%&*?~_@#'", ""),
		strings.Fields("shift+a shift+b shift+c shift+d shift+f shift+h "+
			"shift+i shift+j shift+k shift+m shift+o shift+p shift+q shift+r shift+s shift+t "+
			"shift+u shift+v shift+w shift+x shift+y shift+z f6 f7 f8 f9 f10 f11 "+
			"alt+c alt+d alt+e alt+f alt+g alt+h alt+i alt+j alt+k")...),
}

// remapped returns another key for every action that may have one.
func remapped(t *testing.T) (toml string, bound map[string][]string) {
	t.Helper()
	bound = map[string][]string{}
	toml = "[keys]\n"
	used := map[string]int{}
	for _, k := range ui.Keys {
		name := string(k.Action)
		if k.Fixed || bound[name] != nil {
			continue
		}
		pool := ""
		switch all := placesOf(k.Action); {
		case all&keys.InPane != 0:
			pool = "pane"
		case all&keys.AtPrompt != 0:
			pool = "prompt"
		case all&keys.AfterLeader != 0:
			pool = "leader"
		}
		if used[pool] == len(freeKeys[pool]) {
			t.Fatalf("freeKeys has too few keys for the place %q: %s needs one more", pool, name)
		}
		key := freeKeys[pool][used[pool]]
		used[pool]++
		if pool == "prompt" {
			key = "alt+" + key
		}
		bound[name] = []string{key}
		toml += fmt.Sprintf("%s = %q\n", name, key)
	}
	return toml, bound
}

// placesOf returns all places of an action.
func placesOf(a keys.Action) (all keys.Context) {
	for _, k := range ui.Keys {
		if k.Action == a {
			all |= k.In
		}
	}
	return all
}

// nothing presses a key that was given up and checks that it has no effect: a mark typed after it
// is at the prompt, and the screen is otherwise unchanged.
func (h *user) nothing(s keyCase, k keys.Binding, strike, mark string) {
	h.Helper()
	h.prepare(s)
	before := [2]int{h.borders(), h.floor()}
	h.Type(bytesOf(strike))
	if s.clip != "" {
		h.Type(h.bytes(s.then))
	}
	h.Type(h.bytes(s.back) + mark)
	h.WaitFor(mark)
	for _, words := range slices.Concat(s.sees, s.ends) {
		// For a copy, the clipboard shows it: an older notice may still be there.
		if s.gone == nil && s.clip == "" && strings.Contains(h.ScreenText(), words) {
			h.Errorf("%s is still %s: %q\n%s", strike, keyName(k), words, h.ScreenText())
		}
	}
	for _, words := range s.gone {
		if s.back == "" && !strings.Contains(h.ScreenText(), words) {
			h.Errorf("%s is still %s: no %q\n%s", strike, keyName(k), words, h.ScreenText())
		}
	}
	text := strings.ReplaceAll(h.ScreenText(), " > executor  ", " > ")
	if s.back != "" && !strings.Contains(text, " > "+mark) {
		h.Errorf("%s is still %s: it went to the prompt\n%s", strike, keyName(k), h.ScreenText())
	}
	if s.clip != "" && h.clipboard() == s.clip {
		h.Errorf("%s is still %s: it copied", strike, keyName(k))
	}
	if now := [2]int{h.borders(), h.floor()}; s.shift != [2]int{} && now != before {
		h.Errorf("%s is still %s: borders %v, now %v", strike, keyName(k), before, now)
	}
	h.clear()
}
