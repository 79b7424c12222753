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
				t.Fatalf("wrote %d bytes, %v; want some", n, err)
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

// TestMoreShapesOfSecrets hides what has the shape of a secret, in pieces of any size, and leaves
// what only looks like one.
func TestMoreShapesOfSecrets(t *testing.T) {
	letters := "abcdefghijklmnopqrstuvwxyz0123456789"
	hex := "0123456789abcdef0123456789abcdef"
	var text, want string
	for _, secret := range []string{
		"glrt-" + letters, "SG." + letters + "." + letters, "whsec_" + letters, "dop_v1_" + hex + hex, "dapi" + hex,
		"hvs." + letters, "AGE-SECRET-KEY-1" + strings.ToUpper(letters), "shpat_" + hex, "lin_api_" + letters,
		"ntn_" + letters, "nfp_" + letters, "GOCSPX-" + letters, "AccountKey=" + letters + letters + "==",
		"xapp-1-" + letters,
	} {
		text += secret + " "
		want += "[redacted] "
	}
	text += "done hvac doing dapifoo\n-----BEGIN RSA PRIVATE KEY-----\nMIIE one\ntwo\n-----END RSA PRIVATE KEY-----\n" +
		"-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n" +
		"Authorization: Bearer " + letters + "\nauthorization: basic dXNlcjpwYXNzd29yZDE=\nbearer of news\n" +
		"MY_TOKEN=hunter2x STRIPE_SECRET_KEY=\"abcdefgh\" KEYBOARD=qwertyuiop TOKEN_FILE=/run/secrets/token " +
		"PASSWORD=$PASSWORD tokens=1234567 end"
	want += "done hvac doing dapifoo\n-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\n" +
		"-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n" +
		"Authorization: Bearer [redacted]\nauthorization: basic [redacted]\nbearer of news\n" +
		"MY_TOKEN=[redacted] STRIPE_SECRET_KEY=\"[redacted]\" KEYBOARD=qwertyuiop TOKEN_FILE=/run/secrets/token " +
		"PASSWORD=$PASSWORD tokens=1234567 end"
	for _, size := range []int{1, 2, 3, 5, 7, 11, 16, 31, 64, 100, 333, len(text)} {
		var out sink
		r := New(&out)
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
			t.Fatalf("in pieces of %d:\n%s\nwant\n%s", size, out.String(), want)
		}
	}
}

// The names of you and of a task are in paths that must be readable.
func TestPathsAreNotHidden(t *testing.T) {
	t.Parallel()
	const text = "/home/buildkite-agent/app/.ferrus/worktrees/t-2-retry-the-fetch/fetch.go:3"
	if got := RemoveSecrets(text, "USER=buildkite-agent", "LOGNAME=buildkite-agent",
		"FERRUS_TASK=t-2-retry-the-fetch"); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
}
