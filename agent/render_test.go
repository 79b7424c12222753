package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// painted returns what a stream looks like on the screen's side, with the escape
// character made visible.
func painted(t *testing.T, a Adapter, stream []byte) string {
	t.Helper()
	st := newLineSplitter(a.Renderer())
	out := string(st.feed(stream)) + string(st.close())
	return strings.NewReplacer("\x1b", "␛", "\r\n", "\n", "\r", "␍").Replace(out)
}

func TestRenderers(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v; want at least 4", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		vendor := name
		for _, known := range Names() {
			if strings.HasPrefix(name, known) {
				vendor = known
			}
		}
		a, err := Lookup(vendor, nil)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out := painted(t, a, stream)
		golden(t, "streams/"+name+".txt", out)
		if strings.Contains(out, `"type"`) || strings.Contains(out, `{"`) {
			t.Errorf("%s: JSON on the screen", name)
		}
	}
}

// TestRenderersStandHostileInput feeds every cut and a lot of nonsense.
func TestRenderersStandHostileInput(t *testing.T) {
	nonsense := []string{
		"", "{", "{}", "null", "[1]", `"x"`, "\xff\xfe", `{"type":7}`, `{"type":"result"}`,
		`{"type":"assistant","message":7}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":[[]]}]}}`,
		`{"type":"assistant","message":{"content":"plain"}}`,
		`{"type":"item.completed"}`, `{"type":"item.completed","item":{"type":"command_execution"}}`,
		`{"type":"item.completed","item":{"type":"mcp_tool_call","result":7}}`,
		`{"type":"turn.failed","error":"words"}`, `{"type":"error"}`, strings.Repeat("[", 100000),
		`{"type":"assistant","message":{"content":[{"type":"tool_use","input":[1]}]}}`,
	}
	step := 7
	if testing.Short() {
		step = 101
	}
	for _, name := range Names() {
		a, _ := Lookup(name, nil)
		if a.Renderer() == nil {
			continue
		}
		for _, file := range []string{"claude-code", "codex", "qwen-code"} {
			stream, err := os.ReadFile("testdata/streams/" + file + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			for cut := 0; cut < len(stream); cut += step {
				painted(t, a, stream[:cut])
			}
		}
		out := painted(t, a, []byte(strings.Join(nonsense, "\n")))
		for _, c := range out {
			if c < ' ' && c != '\n' {
				t.Errorf("%s: control %q on the screen", name, c)
			}
		}
	}
}

func TestLongTextIsBounded(t *testing.T) {
	text, _ := json.Marshal(strings.Repeat("word ", 100_000))
	for name, line := range map[string]string{
		"claude-code": `{"type":"assistant","message":{"content":[{"type":"text","text":` + string(text) + `}]}}`,
		"codex":       `{"type":"item.completed","item":{"type":"agent_message","text":` + string(text) + `}}`,
	} {
		a, _ := Lookup(name, nil)
		if out := painted(t, a, []byte(line+"\n")); len(out) > 20_000 || !strings.Contains(out,
			"more bytes in the log") {
			t.Errorf("%s: the screen has %d bytes, want at most 20000 and a note", name, len(out))
		}
	}
}

func TestLineOfFiftyMegabytes(t *testing.T) {
	st := newLineSplitter(claude{}.Renderer())
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var shown []byte
	for range 50 << 20 / len(chunk) {
		shown = append(shown, st.feed(chunk)...)
	}
	shown = append(shown, st.feed([]byte("\nnext\n"))...)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes used", used)
	}
	if want := "(a line of 52.4 MB, too long to show; it is in the log)\r\nnext\r\n"; string(shown) != want {
		t.Errorf("%.200q; want %v", shown, want)
	}
}

func TestStageCutsLinesAnywhere(t *testing.T) {
	stream, err := os.ReadFile("testdata/streams/codex.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	whole := newLineSplitter(codex{}.Renderer())
	want := string(whole.feed(stream)) + string(whole.close())
	pieces := newLineSplitter(codex{}.Renderer())
	var got []byte
	for _, b := range bytes.ReplaceAll(stream, []byte("\n"), []byte("\r\n")) {
		got = append(got, pieces.feed([]byte{b})...)
	}
	got = append(got, pieces.close()...)
	if string(got) != want {
		t.Error("pieces are rendered otherwise than the whole")
	}
}

func TestUnwrapMessage(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                          "plain",
		`400 {"error":{"message":"no"}}`: "400 no",
		`call: {"args":{}} got [{"text":"refused"}].`: "call:  got refused.",
		"[API Error: x]":           "[API Error: x]",
		"try {again":               "try {again",
		strings.Repeat("[", 1<<20): strings.Repeat("[", maxSayBytes),
	} {
		if got := unwrapMessage(in); got != want {
			t.Errorf("%.50q: %.80q, want %.80q", in, got, want)
		}
	}
}
