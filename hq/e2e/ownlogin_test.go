//go:build e2e

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/clients/model"
)

// TestOwnLoginIsKept has the executor call one of the human's own servers that requires a login.
// The human logged in earlier and the token has expired, so the client renews it, which invalidates
// the old refresh token: the new one must reach the human's home at once.
func TestOwnLoginIsKept(t *testing.T) {
	for name, signIn := range logins {
		t.Run(name, func(t *testing.T) {
			var called, missed atomic.Int32
			b := newFixture(t, setup{supervisor: name, executor: name,
				script: func(c model.Conversation) model.Action { return noting(c, &called, &missed) }})
			o := serveNotes(t)
			file := signIn(b, o.URL)
			stop := b.running("run", model.TaskText)
			defer stop()
			b.patience = time.Minute
			defer func() {
				if t.Failed() {
					t.Log(b.evidence())
				}
			}()
			b.until("the server is not called", func() bool { return called.Load() > 0 })
			b.until("the renewed token is not in the home", func() bool {
				text, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(text), "refresh-2")
			})
			o.mu.Lock()
			defer o.mu.Unlock()
			if o.renewed != 1 || o.registered != 0 {
				t.Errorf("the token was renewed %d times and the client registered %d times, want 1 and 0",
					o.renewed, o.registered)
			}
		})
	}
}

// logins write a client's settings and its login to a server, and return the login's file.
var logins = map[string]func(b *fixture, url string) string{
	"claude-code": func(b *fixture, url string) string {
		home := filepath.Join(b.root, "home")
		b.merge(filepath.Join(home, ".claude.json"), "mcpServers", map[string]any{"type": "http", "url": url + "/mcp"})
		login := map[string]any{"serverName": "notes", "serverUrl": url + "/mcp", "clientId": "c",
			"accessToken": "token-1", "refreshToken": "refresh-1", "expiresAt": 1000, "scope": ""}
		return b.writeJSON(filepath.Join(home, ".claude", ".credentials.json"),
			map[string]any{"mcpOAuth": map[string]any{loginKey(url): login}})
	},
	"codex": func(b *fixture, url string) string {
		home := filepath.Join(b.root, "home", ".codex")
		config, err := os.ReadFile(filepath.Join(home, "config.toml"))
		if err != nil {
			b.t.Fatal(err)
		}
		write(b.t, filepath.Join(home, "config.toml"), fmt.Sprintf(
			"mcp_oauth_credentials_store = \"file\"\n%s\n[mcp_servers.notes]\nurl = \"%s/mcp\"\n", config, url))
		return b.writeJSON(filepath.Join(home, ".credentials.json"), map[string]any{
			loginKey(url): map[string]any{"server_name": "notes", "server_url": url + "/mcp", "issuer": url,
				"client_id": "c", "access_token": "token-1", "refresh_token": "refresh-1", "expires_at": 1000,
				"scopes": []string{}}})
	},
	"gemini-cli": func(b *fixture, url string) string { return b.signInLikeGemini(".gemini", url) },
	"qwen-code":  func(b *fixture, url string) string { return b.signInLikeGemini(".qwen", url) },
	"opencode": func(b *fixture, url string) string {
		home := filepath.Join(b.root, "home")
		b.merge(filepath.Join(home, ".config", "opencode", "opencode.json"), "mcp", map[string]any{"type": "remote",
			"enabled": true, "url": url + "/mcp"})
		return b.writeJSON(filepath.Join(home, ".local", "share", "opencode", "mcp-auth.json"), map[string]any{
			"notes": map[string]any{"serverUrl": url + "/mcp", "clientInfo": map[string]any{"clientId": "c"},
				"tokens": map[string]any{"accessToken": "token-1", "refreshToken": "refresh-1", "expiresAt": 1}}})
	},
}

// loginKey names a server's login in the files of Claude Code and Codex.
func loginKey(url string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"type":"http","url":"%s/mcp","headers":{}}`, url))
	return "notes|" + hex.EncodeToString(sum[:])[:16]
}

// signInLikeGemini logs in to a server like Gemini CLI and its forks.
func (b *fixture) signInLikeGemini(dir, url string) string {
	b.t.Helper()
	home := filepath.Join(b.root, "home", dir)
	b.merge(filepath.Join(home, "settings.json"), "mcpServers", map[string]any{"httpUrl": url + "/mcp"})
	return b.writeJSON(filepath.Join(home, "mcp-oauth-tokens.json"), []any{map[string]any{"serverName": "notes",
		"clientId": "c", "tokenUrl": url + "/token", "mcpServerUrl": url + "/mcp", "updatedAt": 1000,
		"token": map[string]any{"accessToken": "token-1", "refreshToken": "refresh-1", "tokenType": "Bearer",
			"expiresAt": 1000}}})
}

// writeJSON writes a value to a file, and returns the file's path.
func (b *fixture) writeJSON(path string, value any) string {
	b.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		b.t.Fatal(err)
	}
	write(b.t, path, string(text))
	return path
}

// notes is one of the human's own servers, with a login by OAuth 2.1. Its tokens are numbered, and
// each is valid until the next one.
type notes struct {
	URL string

	mu                  sync.Mutex // guards the fields below
	renewed, registered int
}

func serveNotes(t *testing.T) *notes {
	o := &notes{}
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "note_down", Description: "Notes a text down."},
		func(_ context.Context, _ *mcp.CallToolRequest, in struct {
			Text string `json:"text"`
		}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noted " + in.Text}}}, nil, nil
		})
	tools := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		counts := fmt.Sprint("Bearer token-", o.renewed+1)
		o.mu.Unlock()
		if counts == "Bearer token-1" || r.Header.Get("Authorization") != counts { // the first has expired
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", resource_metadata="`+o.URL+
				`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": o.URL + "/mcp", "authorization_servers": []string{o.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"issuer": o.URL, "authorization_endpoint": o.URL + "/authorize",
			"token_endpoint": o.URL + "/token", "registration_endpoint": o.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
			"token_endpoint_auth_methods_supported": []string{"none"}})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, _ *http.Request) {
		o.mu.Lock()
		o.registered++
		o.mu.Unlock()
		http.Error(w, "no", http.StatusForbidden)
	})
	mux.HandleFunc("POST /token", o.renew)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	o.URL = s.URL
	return o
}

// renew returns the next token for the newest refresh token.
func (o *notes) renew(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	newest := fmt.Sprint("refresh-", o.renewed+1)
	if r.FormValue("grant_type") != "refresh_token" || r.FormValue("refresh_token") != newest {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	o.renewed++
	reply(w, map[string]any{"access_token": fmt.Sprint("token-", o.renewed+1), "token_type": "Bearer",
		"expires_in": 3600, "refresh_token": fmt.Sprint("refresh-", o.renewed+1)})
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // a disconnected client reads nothing
}
