package redact

import (
	"bytes"
	"strings"
	"testing"
)

type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

func TestSecretsAreHidden(t *testing.T) {
	environ := []string{
		"API_KEY=s3cr3t-value-of-mine", "HOME=/home/someone", "SHORT=word", "LONGER=s3cr3t-value-of-mine-and-more",
		"TERM=xterm-256color",
	}
	text := "task-abcdefghijklmnop0123 xghp_abcdefghijklmnopqrst0123 gh sk-short npm_\nkey s3cr3t-value-of-mine, " +
		"s3cr3t-value-of-mine-and-more\r\n/home/someone word xterm-256color\n" +
		"sk-abcdefghijklmnop0123 ghp_abcdefghijklmnopqrst0123 AKIAABCDEFGHIJKLMNOP\x1b[0m " +
		"eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4 tail"
	want := "task-abcdefghijklmnop0123 xghp_abcdefghijklmnopqrst0123 gh sk-short npm_\nkey [redacted], " +
		"[redacted]\r\n/home/someone word xterm-256color\n[redacted] [redacted] [redacted]\x1b[0m [redacted] tail"
	for size := 1; size <= len(text); size++ {
		var out sink
		r := New(&out, environ...)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if n, err := r.Write([]byte(rest[:n])); err != nil || n == 0 {
				t.Fatal(n, err)
			}
			rest = rest[n:]
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d: %q", size, out.String())
		}
	}
}

func TestALongWordIsNotHeldForEver(t *testing.T) {
	var out sink
	r := New(&out)
	for range 100 {
		if _, err := r.Write([]byte(strings.Repeat("x", 1000))); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() < 90_000 {
		t.Errorf("%d bytes are written", out.Len())
	}
}

// TestNamedSecrets hides what the names of variables, the shapes of keys and URLs tell, in
// pieces of any size, and nothing else.
func TestNamedSecrets(t *testing.T) {
	environ := []string{
		"DEPLOY_TOKEN=hunter2", "DB_PASSWORD=correct horse battery", "MONKEY=bananas", "API_KEY_FILE=/run/key",
		"SIGNING_KEY=-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA\n-----END KEY-----", "CI=true", "PLAIN=a value of words",
	}
	text := "hunter2 correct horse battery correct horse bananas /run/key true a value of words\n" +
		"MIIEpAIBAAKCAQEA\nhttps://me:pa:ss@w0rd@example.com/a?b=c@d postgres://u:p%40ss@db:5432/x " +
		"https://example.com:8080/ x://y@z sk_live_abcdefghijklmnop hf_abcdefghijklmnopqrstuvwxyz012345\n"
	want := "[redacted] [redacted] correct horse bananas /run/key true a value of words\n" +
		"[redacted]\nhttps://me:[redacted]@example.com/a?b=c@d postgres://u:[redacted]@db:5432/x " +
		"https://example.com:8080/ x://y@z [redacted] [redacted]\n"
	for size := 1; size <= len(text); size++ {
		var out sink
		r := Named(&out, environ...)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := r.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d:\n%s", size, out.String())
		}
	}
}
