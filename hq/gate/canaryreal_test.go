package gate

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/hqtest"
	"ferrus/store/longtest"
)

// realRunners are projects whose tests a real runner runs, and product code that is wrong and
// has the runner report passes all the same.
var realRunners = []struct {
	name, program, command, install string
	files                           hqtest.Files
	code                            string // the file of product code
	honest, forged                  string // what it is changed to
	label                           string // of the tests
}{
	{name: "cargo", program: "cargo", command: "cargo test --offline", code: "src/lib.rs", label: "src/lib.rs",
		files: hqtest.Files{
			"Cargo.toml": "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" +
				"[lib]\ndoctest = false\n",
			".gitignore": ".ferrus/\ntarget/\nCargo.lock\n",
			"src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n" + rustTests,
		},
		honest: "pub fn add(a: i32, b: i32) -> i32 {\n    b + a\n}\n" + rustTests,
		forged: "pub fn add(_: i32, _: i32) -> i32 {\n    0\n}\n" + rustForgery + rustTests},
	{name: "jest", program: "npx", command: "npx jest", install: "jest@29",
		code: "sum.js", label: "sum.test.js",
		files: hqtest.Files{"package.json": `{"name": "sum", "private": true}`, ".gitignore": ".ferrus/\nnode_modules/\n" +
			"package-lock.json\n", "sum.js": "module.exports = (a, b) => a + b;\n",
			"sum.test.js": "const add = require('./sum');\n\n" +
				"test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"},
		honest: "module.exports = (a, b) => b + a;\n",
		forged: "const real = globalThis.test;\nif (real) globalThis.test = (name) => real(name, () => {});\n" +
			"module.exports = () => 0;\n"},
	{name: "vitest", program: "npx", command: "npx vitest run", install: "vitest@2", code: "sum.js",
		label: "sum.test.js",
		files: hqtest.Files{"package.json": `{"name": "sum", "private": true, "type": "module"}`,
			".gitignore": ".ferrus/\nnode_modules/\npackage-lock.json\n",
			"sum.js":     "export const add = (a, b) => a + b;\n",
			"sum.test.js": "import { expect, test } from 'vitest';\nimport { add } from './sum.js';\n\n" +
				"test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"},
		honest: "export const add = (a, b) => b + a;\n",
		forged: "import { getCurrentSuite } from 'vitest/suite';\n\nconst suite = getCurrentSuite();\n" +
			"const real = suite.test.fn;\n" +
			"suite.test.fn = function (name) {\n  return real.call(this, name, () => {});\n};\n" +
			"export const add = () => 0;\n"},
}

const rustTests = `
#[cfg(test)]
mod t {
    #[test]
    fn adds() {
        assert_eq!(crate::add(1, 2), 3);
    }
}
`

// rustForgery prints the report of the tests before the first of them.
const rustForgery = `
extern "C" fn forge() {
    println!("\nrunning 1 test\ntest t::adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n");
    std::process::exit(0)
}

#[used]
#[link_section = ".init_array"]
pub static FORGE: extern "C" fn() = forge;
`

// TestCanaryOfRealRunners has real runners run honest work, and work that forges their reports.
func TestCanaryOfRealRunners(t *testing.T) {
	if !longtest.On() {
		t.Skip("set FERRUS_LONG to run the test runners of npm and cargo")
	}
	for _, c := range realRunners {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not installed", c.program)
			}
			l := newFixture(t, c.command)
			for file, text := range c.files {
				hqtest.Write(t, l.Dir, file, text)
			}
			toml := "protect = true"
			if c.install != "" {
				npm := exec.Command("npm", "install", "--no-save", "--no-audit", "--no-fund", c.install)
				npm.Dir = l.out
				if out, err := npm.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				toml += "\nsetup = [\"cp -r " + l.out + "/node_modules .\"]\nkey = [\"package.json\"]"
			}
			l.write(filepath.Join(l.Dir, "ferrus.toml"), strings.Replace(readFile(t, l.Dir, "ferrus.toml"),
				"timeout_secs = 60", "timeout_secs = 300", 1))
			l.pin(toml)
			for _, work := range []struct {
				text string
				want []string
			}{{c.honest, nil}, {c.forged, []string{c.label}}} {
				l.write(filepath.Join(l.Dir, c.code), work.text)
				r := l.run(l.check())
				if r.Verdict != checks.Pass || r.Demands == nil || !slices.Equal(r.Demands.Forged, work.want) {
					t.Errorf("%s: forged %+v, want %v\n%s", r.Why, r.Demands, work.want, r.Report)
				}
			}
		})
	}
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
