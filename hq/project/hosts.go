package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/agent/proxy"
	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/store"
)

// hostsKind names the directory that keeps which hosts were asked for, and your answers:
// outside the project, where neither an agent nor a repository can write.
const hostsKind = "hosts"

// maxAskedHosts is how many hosts of one task are kept. A program that tries more is refused all
// the same; you are not asked.
const maxAskedHosts = 32

// AskedHosts returns the hosts that programs of the open task asked for and that no rule names,
// with what you answered, and hosts that you always allow, the oldest first.
func (t *Task) AskedHosts(w core.World) []advice.AskedHost { return t.HostsOf(t.hostsTask(w)) }

// HostsOf returns them for a task, which may be an archived one.
func (p *Project) HostsOf(task string) []advice.AskedHost {
	all, _, err := p.readHosts() // Without them a program is refused, and asks again.
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(a advice.AskedHost) bool { return !concerns(a, task) })
}

// concerns reports whether a host counts for a task.
func concerns(a advice.AskedHost, task string) bool {
	return a.Task == task || a.Answer == advice.HostAlways
}

// hostsTask names the task whose answers count: the open one, or on a worker the one that has the directory.
func (t *Task) hostsTask(w core.World) string {
	if w.Task == nil && t.HasDirectory() {
		return t.ID
	}
	return taskID(w)
}

// taskID returns the id of the open task, or [advice.NoTask].
func taskID(w core.World) string {
	if w.Task == nil {
		return advice.NoTask
	}
	return w.Task.ID
}

// Reaches reports whether you allowed a host, for the open task or always. Its first request
// in a task is put into your inbox; by is the session or gate that wants to reach it.
func (t *Task) Reaches(by, host string) bool {
	state, err := t.World()
	if err != nil {
		return false
	}
	task, allowed := t.hostsTask(state.World), false
	asked, err := t.changeHosts(func(all []advice.AskedHost) []advice.AskedHost {
		answer, known := answerTo(all, task, host)
		allowed = answer == advice.HostTask || answer == advice.HostAlways
		of := 0
		for _, a := range all {
			if concerns(a, task) {
				of++
			}
		}
		if known || of >= maxAskedHosts {
			return nil
		}
		return append(all, advice.AskedHost{Host: host, Task: task, By: by, Since: time.Now().UTC().Round(0)})
	})
	if err == nil && asked {
		t.note(by + " wanted to reach " + host + " and was refused; answer with ferrus network")
	}
	return err == nil && allowed
}

// answerTo returns your newest answer that counts for a host in a task, and whether you have one or are asked for it.
func answerTo(all []advice.AskedHost, task, host string) (answer advice.HostAnswer, known bool) {
	for _, a := range slices.Backward(all) {
		switch {
		case !concerns(a, task):
		case a.Answer != "" && proxy.Names(a.Host, host):
			return a.Answer, true
		case a.Host == host:
			known = true
		}
	}
	return "", known
}

// Refuses reports whether you refused a host for the open task.
func (t *Task) Refuses(host string) bool {
	state, err := t.World()
	if err != nil {
		return false
	}
	all, _, err := t.readHosts()
	if err != nil {
		return false
	}
	answer, _ := answerTo(all, t.hostsTask(state.World), host)
	return answer == advice.HostNo
}

// IsHost reports whether a text names one host, and not many that you would allow unawares.
func IsHost(s string) bool {
	return s != "" && s[0] != '.' && !strings.Contains(s, "*") && proxy.CheckHost(s) == nil
}

// AllowedHosts returns the hosts that you allowed for the open task, or always.
func (t *Task) AllowedHosts() (all []string, err error) {
	state, err := t.World()
	if err != nil {
		return nil, err
	}
	for _, a := range t.AskedHosts(state.World) {
		if a.Answer == advice.HostTask || a.Answer == advice.HostAlways {
			all = append(all, a.Host)
		}
	}
	return all, nil
}

// AnswerHost notes what you say of a host, asked for or not, and returns the host with your answer. It takes
// effect at once, an answer for always also where other tasks still ask for the host.
func (t *Task) AnswerHost(host string, answer advice.HostAnswer) (answered advice.AskedHost, err error) {
	if host, err = proxy.Canonical(host); err != nil {
		return answered, err
	}
	state, err := t.World()
	if err != nil {
		return answered, err
	}
	task := t.hostsTask(state.World)
	var others []string
	_, err = t.changeHosts(func(all []advice.AskedHost) []advice.AskedHost {
		if answer == advice.HostAlways {
			all = slices.DeleteFunc(all, func(a advice.AskedHost) bool {
				asks := a.Host == host && a.Task != task && a.Answer == ""
				if asks {
					others = append(others, a.Task)
				}
				return asks
			})
		}
		is := func(a advice.AskedHost) bool { return a.Host == host && concerns(a, task) }
		entry := advice.AskedHost{Host: host, Task: task, Since: time.Now().UTC().Round(0)}
		if at := slices.IndexFunc(all, is); at >= 0 {
			entry = all[at]
			entry.Task = task
			all = slices.DeleteFunc(all, is)
		}
		entry.Answer = answer
		answered = entry
		return append(all, entry)
	})
	if err == nil {
		t.note("you answered for the host " + host + ": " + string(answer))
		for _, id := range others {
			t.noteFor(id, "you answered for the host "+host+" in another task: "+string(answer))
		}
	}
	return answered, err
}

// noteFor records a text in the journal of another task if it is still open.
func (t *Task) noteFor(id, text string) {
	other, err := t.OpenTask(id)
	if err != nil {
		other = t.Main()
	}
	if state, err := other.World(); err == nil && other.hostsTask(state.World) == id {
		other.note(text)
	}
}

// note records a text in the journal. If that fails, nothing else changes.
func (t *Task) note(text string) {
	_, _ = t.Do(context.Background(), store.Call{}, core.Command{Kind: core.KindNoted, By: FerrusActor(), Text: text})
}

func (p *Project) readHosts() (all []advice.AskedHost, name string, err error) {
	if name, err = p.KeptFile(hostsKind); err != nil {
		return nil, "", err
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, name, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		err = fmt.Errorf("read the answers about hosts: %w", err)
	}
	return all, name, err
}

// changeHosts replaces the list by what change returns of it, if that is not nil, and reports
// whether it did. Other processes wait.
func (p *Project) changeHosts(change func([]advice.AskedHost) []advice.AskedHost) (bool, error) {
	name, err := p.KeptFile(hostsKind)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	var lock *os.File
	if err == nil {
		lock, err = os.OpenFile(name+".lock", os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	}
	if err == nil {
		defer lock.Close()
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		return false, fmt.Errorf("lock the answers about hosts: %w", err)
	}
	all, _, err := p.readHosts()
	if err != nil {
		return false, err
	}
	if all = change(all); all == nil {
		return false, nil
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return false, err
	}
	return true, WriteKept(name, data)
}
