package agent

import "ferrus/agent/home"

// home returns what of your home a session gets.
func (codex) home() home.List {
	return home.List{Tried: true, Dirs: []home.Dir{{
		Variable: "CODEX_HOME", Default: ".codex",
		Copy: []string{"config.toml", "AGENTS.md", "AGENTS.override.md", "prompts", "rules", "skills", "agents",
			"hooks.json", "hooks", "*.sh", "*.py", "*.js", "*.mjs"},
		Show: []string{"plugins"}, Hashed: true, // it runs no hook that you have not trusted
		Logins: []home.Login{
			{File: "auth.json", Accounts: []home.Account{{Fields: []string{"tokens.id_token", "tokens.access_token",
				"tokens.refresh_token"}, Owner: []string{"tokens.account_id"}, Renewed: "last_refresh"}}},
			{File: ".credentials.json", Accounts: []home.Account{{ // of MCP servers, where the system has no keychain
				Fields: []string{"*.access_token", "*.refresh_token"}, Owner: []string{"*.server_url", "*.client_id"},
				Renewed: "*.expires_at"}}},
		},
	}, sharedSkills}}
}

// hosts are of the model and of logins.
func (codex) hosts() []string {
	return []string{
		"api.openai.com", "auth.openai.com", "chatgpt.com", "*.chatgpt.com",
	}
}
