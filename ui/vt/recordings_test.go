package vt

import (
	"cmp"
	"strings"
	"time"
)

// recording is a program whose output is in testdata, and how it was driven.
type recording struct {
	name    string
	run     string        // for sh; $GO is the Go toolchain, /srv has clients of vendors
	keys    []string      // each is typed when the program has fallen silent
	silence time.Duration // after it the program waits for a key; 0: 400 ms
	columns int           // 0: 100
	rows    int           // 0: 30
}

func (r recording) size() (columns, rows int) { return cmp.Or(r.columns, 100), cmp.Or(r.rows, 30) }

const (
	up, down, right = "\x1b[A", "\x1b[B", "\x1b[C"
	pageDown        = "\x1b[6~"
	pageUp          = "\x1b[5~"
)

// times returns a key pressed n times, each looked at.
func times(n int, key string) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(key+"|", n), "|"), "|")
}

func keys(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// recordings are the programs, each in a directory of its own with the files of
// [scenery]. Programs that show processes see only their own.
var recordings = []recording{
	{name: "bash", run: `exec bash --norc`, keys: keys([]string{
		"export PS1='\\[\\e[32m\\]\\w\\[\\e[0m\\]$ '\r", "ls --color=always\r", "echo one two three", "\x01",
		right + right + right + right,
		"XX", "\x0b", "\x19", "\r", "for i in 1 2 3; do printf \"\\rprogress $i%%\"; done; echo\r", "ls pa\t\t",
		"\x15", "clear\r",
		`printf "\e[5;10Hhere\e[K\n"` + "\r", "cat page.1\r", "echo " + strings.Repeat("long ", 60) + "\r",
	}, []string{up, "\x01", right, "ab", "\x7f", "\r", "tput smcup; echo alternate; tput rmcup\r", "exit\r"})},
	{name: "ls", run: `ls -la --color=always . sources; ls --color=always -C sources /usr/lib/git-core | head -60`},
	{name: "vim", run: `exec vim -u vimrc -N page.go`, keys: keys(
		times(1, pageDown), []string{"gg", "/func\r", "n", "20Gdd", "p", "u", ":vsplit\r", "\x17w", ":split\r", "3\x05",
			"\x19", ":set list\r",
			"ihello 你好 é\x1b", "V5jd", ":only\r", ":q!\r"})},
	{name: "nano", run: `exec nano -I page.go`, keys: []string{pageDown, "\x17func\r", "hello 漢字 ", "\x0b", "\x0b",
		"\x15", down, down, pageDown, "\x07", "\x18", "\x18", "n"}},
	{name: "less", run: `exec less -R -N page.go`, keys: keys(
		times(3, pageDown), []string{"G", "g", "/func\r"}, times(3, "n"), times(3, down), times(3, up),
		[]string{"-S\r", right, "b", "q"})},
	{name: "man", run: `MANPAGER='less -R' exec man -l page.1`,
		keys: []string{pageDown, pageDown, "/option\r", "n", "g", "q"}},
	{name: "top", run: `sleep 100 & exec top -d 2`, keys: []string{"1", "z", "x", "c", "V", "m", "t", "h", " ", "q"}},
	{name: "htop", run: `sleep 100 & sleep 200 & exec htop -d 30`,
		keys: []string{down, "\x1bOQ", "\x1b\x1b", "t", "/", "sl\r", "\x1b[17~", "\x1b\x1b", "I", "q"}},
	{name: "gitlog", run: `git --no-pager log --graph --color --all --decorate --stat`},
	{name: "gitdiff", run: `GIT_PAGER='less -R' exec git diff --color --word-diff=color first`,
		keys: []string{pageDown, pageDown, "/return\r", "q"}},
	{name: "tig", run: `exec tig --all`, keys: []string{down, "\r", pageDown, down, "q", "t", down, "q",
		"h", "q", "q"}},
	{name: "gotest", silence: 20 * time.Second, run: `cd sources && "$GO" test -v -count=1 . ; "$GO" vet . ; ls`},
	{name: "python", run: `exec python3 -q`, keys: []string{
		"for i in range(3): print('\\033[3%dm' % i, i)\r", "\r", "help(len)\r", "[x**2 for x in range(200)]\r", "1/0\r",
		up, "\x01", "0 + ", "\r", "print('日本', '🚀', 'é')\r", "\x04"}},
	{name: "tmux", run: `exec tmux -L recorded -f tmux.conf new 'bash --norc'`, keys: []string{
		"ls --color=always\r", "\x02%", "seq 1 60\r", "\x02\"", "cat page.go\r", "\x02o", "\x02z", "\x02z",
		"git --no-pager log --oneline --color --graph --all\r",
		"\x02[", pageUp, "q", "\x02c", "seq 1 200\r", "\x02n", "\x02t", "q", "\x02w", "q", "\x02:kill-server\r"}},
	{name: "mc", run: `exec mc -x -u`, keys: []string{down, down, "\t", down, "\x1bOR", "\x1b[21~", "\x0f", "\x0f",
		"\x1b[20~", right, down, "\x1b\x1b", "\x1b[21~", "\r"}},
	{name: "ncdu", run: `exec ncdu -x --color dark .`, keys: []string{down, "\r", "\x1b[D", "i", "i", "g",
		"?", "q", "q"}},
	{name: "dialog", run: `dialog --clear --checklist 'Choose some' 14 50 6 1 one on 2 two off 3 three on;
		dialog --gauge 'Working' 8 50 40 </dev/null; dialog --yesno 'Really? 漢字' 8 40; dialog --textbox page.go 20 80`,
		keys: []string{down, " ", "\t", "\r", right, "\r", pageDown, "\r"}},
	{name: "whiptail",
		run:  `whiptail --menu 'Choose one' 16 60 6 1 one 2 two 3 three; whiptail --inputbox 'Your name' 10 50 nobody; whiptail --msgbox --scrolltext "$(cat page.go)" 20 70`,
		keys: []string{down, down, "\r", "漢字 é", "\x7f", "\t", "\r", pageDown, down, "\r"}},
	{name: "unicode", run: `exec sh unicode.sh`},
	{name: "progress", run: `exec bash progress.sh`},
	{name: "claude", silence: 3 * time.Second,
		run:  `ANTHROPIC_AUTH_TOKEN=none exec /srv/claude-code-2.1.328/node_modules/.bin/claude`,
		keys: []string{"hello 漢字", "\x15", "/", down, "\x1b", "?", "\x03", "\x03"}},
	{name: "codex", silence: 5 * time.Second,
		run:  `OPENAI_API_KEY=none exec /srv/codex-0.169.0/node_modules/.bin/codex`,
		keys: []string{down, up, "2\r", "hello", "\x03"}},
	{name: "qwen", silence: 8 * time.Second,
		run: `OPENAI_API_KEY=none OPENAI_BASE_URL=http://localhost:9 OPENAI_MODEL=none exec /srv/qwen-code-0.24.4/node_modules/.bin/qwen`},
	{name: "vttest1", run: `exec vttest 24x80.132`, columns: 80, rows: 24, keys: keys([]string{"1\r"}, times(6, "\r"))},
	{name: "vttest2", run: `exec vttest 24x80.132`, columns: 80, rows: 24,
		keys: keys([]string{"2\r"}, times(15, "\r"))},
	{name: "vttest8", run: `exec vttest 24x80.132`, columns: 80, rows: 24,
		keys: keys([]string{"8\r"}, times(14, "\r"))},
}

// scenery is the directory the programs find themselves in.
var scenery = map[string]string{
	"home/.qwen/settings.json": `{"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"security":{"auth":{"selectedType":"openai"}}}`,
	"home/.claude.json":        `{"hasCompletedOnboarding":true,"projects":{"/mnt":{"hasTrustDialogAccepted":true}}}`,
	"vimrc": "syntax on\nset number mouse=a cursorline hlsearch incsearch laststatus=2 " +
		"noswapfile viminfo=\ncolorscheme desert\n",
	"tmux.conf":      "set -g default-terminal screen-256color\nset -g status-right ''\nset -g mouse on\n",
	"page.1":         manPage,
	"unicode.sh":     unicodeScript,
	"progress.sh":    progressScript,
	"sources/go.mod": "module example\n\ngo 1.26\n",
	"sources/sum.go": "package example\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n",
	"sources/sum_test.go": "package example\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tfor _, c := " +
		"range []struct{ name string; a, b, want int }{{\"small\", 1, 2, 3}, {\"wrong\", 2, 2, 5}, {\"日本\", " +
		"0, 0, 0}} {\n" +
		"\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif got := Sum(c.a, c.b); got != c.want " +
		"{\n\t\t\t\tt.Errorf(\"Sum(%d, %d) = %d, want %d\", c.a, c.b, got, c.want)\n\t\t\t}\n\t\t})\n\t}\n}\n",
}

const manPage = `.TH EXAMPLE 1
.SH NAME
example \- shows what a manual looks like
.SH SYNOPSIS
.B example
[\fB\-v\fR] [\fB\-o\fR \fIfile\fR]
.SH OPTIONS
.TP
.B \-v
An option that says \(lqmore\(rq than it should, in a paragraph that is long enough to be broken into several lines.
.TP
.BR \-o " " \fIfile\fR
An option with a value.
.SH DESCRIPTION
Words in \fBbold\fR and in \fIitalics\fR, a dash \(em and a bullet \(bu.
.PP
.nf
    one
      two
        three
.fi
.SH SEE ALSO
.BR ls (1),
.BR man (1),
.BR less (1)
.SH NOTES
.nf
1
2
3
4
5
6
7
8
9
.fi
`

const unicodeScript = `for i in 1 2 3 4 5 6 7 8 9 10; do
	echo "$i 漢字仮名交じり文 한국어 ﾊﾝｶｸ 中文测试 | e\314\201 n\314\203 a\314\200\314\201 | λ→Ж─│█▒… | 🚀 ✅ 😀 🎉 | ก็ न"
done
printf '\033[32m漢字\033[41m仮\033[mx\r\033[2C\033[1;34m字\033[m\n'
printf 'wide at the end of a row: %87s漢字\n' ''
printf '\033[10;5H漢字漢字\033[10;7H\033[2P\033[11;5H漢字漢字\033[11;7H\033[2@\033[12;5H漢字漢字\033[12;7H\033[2X\033[25;1H\n'
printf '┌──────┬──────┐\n│ 漢字 │ abc  │\n├──────┼──────┤\n│ 😀   │ é    │\n└──────┴──────┘\n'
`

const progressScript = `for i in 0 20 40 60 80 100; do
	printf '\r\033[K[%-25s] %3d%%' "$(printf '%*s' $((i / 4)) '' | tr ' ' '#')" $i
done
echo
for i in 1 2 3 4 5 6; do
	for j in 1 2 3; do printf '\033[36mlayer %d\033[0m %s \033[2m%d/6\033[22m\033[K\n' $j "$(printf '█%.0s' $(seq $((i + j))))" $i; done
	[ $i = 6 ] || printf '\033[3A'
done
for s in ⠋ ⠙ ⠹ ⠸ ⠼; do printf '\r\033[?25l\033[35m%s\033[39m working' $s; done
printf '\r\033[K\033[?25hdone\n'
printf '\033[1;25r\033[30;1H\033[7mstatus line\033[K\033[27m\033[25;1H'
for i in $(seq 40); do echo "unpacking package $i"; done
printf '\033[r\033[30;1H\033[K'
for i in 10 50 100; do printf '\033]9;4;1;%d\033\\\033[44m%*s\033[m\r' $i $((i / 2)) ''; done
echo
`
