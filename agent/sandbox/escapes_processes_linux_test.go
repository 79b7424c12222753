package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func readsProcess(below string) func(*outside) error {
	return func(w *outside) error {
		below := strings.ReplaceAll(below, "%s", w.Base)
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", w.PIDs["bystander"], below))
		if err == nil && len(data) == 0 {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
}

func readsOwnRoot(w *outside) error {
	return ignoring(os.ReadFile("/proc/self/root" + w.path("home/.ssh/id_rsa")))
}

func readsLink(link func(string, string) error) func(*outside) error {
	return func(w *outside) error {
		name := w.path("project/link")
		defer os.Remove(name)
		if err := link(w.path("home/.ssh/id_rsa"), name); err != nil {
			return err
		}
		return ignoring(os.ReadFile(name))
	}
}

// readsDescriptor uses a directory that the parent had open.
func readsDescriptor(*outside) error {
	fd, err := unix.Openat(leaked, ".ssh/id_rsa", unix.O_RDONLY, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func readsMemory(w *outside) error {
	return ignoring(os.OpenFile(fmt.Sprintf("/proc/%d/mem", w.PIDs["bystander"]), os.O_RDWR, 0))
}

// seesProcess looks for a process in the list: inside a namespace its number is another's.
func seesProcess(w *outside) error {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.PIDs["bystander"]))
	if err == nil && !bytes.Contains(data, []byte("(sh)")) {
		err = errors.New("it is another process")
	}
	return err
}

func signals(s unix.Signal, victim string) func(*outside) error {
	return func(w *outside) error { return unix.Kill(w.PIDs[victim], s) }
}

// mountsControlGroups mounts them in a namespace of its own, where it has every capability. The
// thread that did so ends with the goroutine.
// oldProgram reports whether bubblewrap has the time that an escape gave it.
func oldProgram() bool {
	path, err := findBubblewrap()
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.ModTime().Unix() == 1
}

func signalsDescriptor(w *outside) error {
	fd, err := unix.PidfdOpen(w.PIDs["killed by descriptor"], 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
}

func takesDescriptor(w *outside) error {
	fd, err := unix.PidfdOpen(w.PIDs["bystander"], 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return ignoring(unix.PidfdGetfd(fd, 0, 0))
}

func readsVM(w *outside) error {
	local := make([]byte, 8)
	here := []unix.Iovec{{Base: &local[0]}}
	here[0].SetLen(len(local))
	_, err := unix.ProcessVMReadv(w.PIDs["bystander"], here, []unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
	if errors.Is(err, unix.EFAULT) {
		return nil // It may read; there is nothing at that address.
	}
	return err
}

func traces(w *outside) error {
	if err := unix.PtraceSeize(w.PIDs["bystander"]); err != nil {
		return err
	}
	_ = unix.PtraceDetach(w.PIDs["bystander"])
	return nil
}

func adjustsOOM(w *outside) error {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/oom_score_adj", w.PIDs["bystander"]), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return ignoring(f.WriteString("1000"))
}

func gainsPrivileges(*outside) error {
	on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	if err == nil && on == 1 {
		err = unix.EPERM
	}
	return err
}

// outlives leaves a process that writes for as long as it lives.
func outlives(w *outside) error {
	script := "(setsid /bin/sh -c 'echo $$ > outlives; exec sleep 1000' >/dev/null 2>&1 </dev/null &) &"
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", script}, &os.ProcAttr{Dir: w.path("project"),
		Env: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		return err
	}
	_, err = p.Wait()
	for end := time.Now().Add(30 * time.Second); err == nil && time.Now().Before(end); {
		if data, _ := os.ReadFile(w.path("project/outlives")); len(data) > 0 {
			return nil
		}
	}
	return errors.Join(err, os.ErrDeadlineExceeded)
}

func attachesMemory(w *outside) error {
	data, err := unix.SysvShmAttach(w.Shared, 0, unix.SHM_RDONLY)
	if err == nil {
		defer func() { _ = unix.SysvShmDetach(data) }()
		if string(data[:6]) != "secret" {
			err = errors.New("it is other memory")
		}
	}
	return err
}

func readsQueue(w *outside) error {
	_, _, e := unix.Syscall(unix.SYS_MSGCTL, uintptr(w.Queue), unix.IPC_STAT, uintptr(unsafe.Pointer(&[256]byte{})))
	return errorOf(e)
}

func typesElsewhere(w *outside) error {
	f, err := os.OpenFile(w.Terminal, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return ignoring(f.WriteString("typed"))
}

// typesHere needs no terminal: the filter refuses the call before the kernel looks.
func typesHere(*outside) error {
	b := byte('x')
	_, _, e := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&b)))
	return errorOf(e)
}

func countsEvents(*outside) error {
	fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Bits: unix.PerfBitExcludeKernel},
		0, -1, -1, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func calls(number uintptr, args ...uintptr) func(*outside) error {
	return func(*outside) error {
		full := append(args[:len(args):len(args)], 0, 0, 0)
		_, _, e := unix.RawSyscall(number, full[0], full[1], full[2])
		return errorOf(e)
	}
}
