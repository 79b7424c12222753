module ferrus

go 1.26.0

require (
	charm.land/bubbles/v2 v2.2.1 // the editor of the prompt
	charm.land/bubbletea/v2 v2.1.1 // the program of the screen
	charm.land/lipgloss/v2 v2.0.6 // colours and borders
	github.com/charmbracelet/colorprofile v0.4.3 // what the terminal can show
	github.com/charmbracelet/x/ansi v0.11.9 // widths, and cutting text with colours
	github.com/charmbracelet/x/exp/golden v0.1.0 // tests: golden files
	github.com/charmbracelet/x/term v0.2.2 // whether there is a terminal
	github.com/creack/pty v1.1.24 // pseudo-terminals for agents
	github.com/fsnotify/fsnotify v1.10.1 // notices of changes below .ferrus
	github.com/google/jsonschema-go v0.4.3 // the schemas of those tools
	github.com/modelcontextprotocol/go-sdk v1.8.0 // the tools that agents call
	github.com/muesli/cancelreader v0.2.2 // a terminal that is read until another HQ ends
	github.com/pelletier/go-toml/v2 v2.4.3 // ferrus.toml
	github.com/rogpeppe/go-internal v1.16.0 // tests: scripts of commands
	github.com/spf13/cobra v1.10.2 // commands and flags
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // JSON with comments, in the clients' own configuration
	go.uber.org/goleak v1.3.0 // tests: goroutines left behind
	golang.org/x/sync v0.24.0 // workers that end at the first error
	golang.org/x/sys v0.49.0 // locks, signals and processes
	pgregory.net/rapid v1.3.0 // tests: random plays, shrunk
)

require (
	github.com/atotto/clipboard v0.1.4 // indirect
	github.com/aymanbagabas/go-udiff v0.4.1 // indirect
	github.com/charmbracelet/ultraviolet v0.0.0-20261008173134-6b8d4baf91b4
	github.com/charmbracelet/x/termios v0.1.1 // indirect
	github.com/charmbracelet/x/windows v0.2.2 // indirect
	github.com/clipperhouse/displaywidth v0.11.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/lucasb-eyer/go-colorful v1.4.1 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect; older ones take 30 ms to start
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/xo/terminfo v1.0.0 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/time v0.16.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

require (
	github.com/nats-io/nats-server/v2 v2.15.2
	github.com/nats-io/nats.go v1.55.0
)

require (
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/nats-io/jwt/v2 v2.8.2
	github.com/nats-io/nkeys v0.4.16
	github.com/nats-io/nuid v1.0.1 // indirect
	golang.org/x/crypto v0.58.0 // indirect
)
