package adversary

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// projectsEnv names a directory for the sources, caches and copies of real projects.
const projectsEnv = "FERRUS_PROJECTS"

// realProject is a published project, with how its tests run. projects.md says how it was chosen.
type realProject struct {
	language, name, version string
	fetch                   string   // gets the sources into the working directory
	ignore                  string   // paths that git ignores
	setup                   []string // creates what git ignores
	command                 string   // runs the tests
	env, key                []string // as in [checks]
}

// Commands that fetch a project's sources.
const (
	goZip = `dir=$(GOFLAGS=-mod=mod go mod download -json "$NAME@$VERSION" | sed -n 's/.*"Dir": "\(.*\)",/\1/p') &&
		cp -r "$dir/." . && chmod -R u+w .`
	npmTar = `tar xzf "$(npm pack --silent "$NAME@$VERSION")" --strip-components=1 && rm -f *.tgz &&
		node -e '` + trim + `' && npm install --silent --package-lock-only --ignore-scripts --no-audit --no-fund`
	trim = `const fs = require("fs"), p = JSON.parse(fs.readFileSync("package.json")), dev = p.devDependencies;
		for (const k in dev) if (!/^(tape|nyc|mocha|semver|tmp|mv|mkdirp|rimraf|copy-dir|object|has|es-value|for-each)` +
		`|iconv|mock|safer|ajv|^array|bindings|weak/.test(k)) delete dev[k];
		delete p.scripts.prepublish;
		fs.writeFileSync("package.json", JSON.stringify(p, null, 2))`
	pythonTar = `pip download -q --no-deps --no-binary :all: "$NAME==$VERSION" -d .sdist &&
		tar xzf .sdist/*.tar.gz --strip-components=1 && rm -rf .sdist`
	crateTar = `cargo init -q --lib --vcs none --name fetch .fetch && cd .fetch && cargo add -q "$NAME@=$VERSION" &&
		cargo fetch -q && cd .. && rm -rf .fetch &&
		cp -r "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$NAME-$VERSION"/. .`
	// ownJava is our own project: 150 database tests that each query it over a loopback socket.
	ownJava = `mkdir -p src/test/java && cat >pom.xml <<'END'
<project><modelVersion>4.0.0</modelVersion><groupId>own</groupId><artifactId>own</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies>
<dependency><groupId>com.h2database</groupId><artifactId>h2</artifactId><version>2.2.224</version></dependency>
<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version>
</dependency>
</dependencies><build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version>
</plugin></plugins></build></project>
END
		cat >src/test/java/LoopbackTest.java <<'END'
import java.sql.DriverManager;
import java.util.stream.IntStream;
import org.h2.tools.Server;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LoopbackTest {
	static Server server;
	static IntStream numbers() { return IntStream.range(0, 150); }
	@BeforeAll static void start() throws Exception {
		server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
	}
	@AfterAll static void stop() { server.stop(); }
	@ParameterizedTest @MethodSource("numbers") void stores(int n) throws Exception {
		var url = "jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:n" + n;
		try (var c = DriverManager.getConnection(url); var s = c.createStatement()) {
			s.execute("create table t (n int)");
			s.execute("insert into t values (" + n + ")");
			var r = s.executeQuery("select n * 2 from t");
			r.next();
			Assertions.assertEquals(n * 2, r.getInt(1));
		}
	}
}
END`
	mavenJar = `mkdir -p src/main/java src/main/resources src/test/java src/test/resources
		for part in pom jar:sources jar:test-sources; do
			mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -DoutputDirectory=.got \
				-Dartifact="$GROUP:$NAME:$VERSION:$part" || exit 1; done
		mv .got/*.pom pom.xml && unzip -qo .got/*-test-sources.jar -d src/test/java && rm .got/*-test-sources.jar &&
		unzip -qo .got/*-sources.jar -d src/main/java && rm -r .got &&
		rm -rf src/*/java/META-INF && for of in main test; do (cd src/$of/java && find . -type f ! -name '*.java' |
		tar c -T - | tar x -C ../resources); done`
)

// realProjects are in the table's order.
var realProjects = []realProject{
	{language: "Go", name: "github.com/stretchr/testify", version: "v1.12.1",
		fetch:   goZip + " && mkdir _codegen && touch _codegen/absent", // its own module, which tests look for
		command: "go test -count=1 ./..."},
	{language: "Go", name: "github.com/spf13/cobra", version: "v1.10.2", fetch: goZip,
		command: "go test -count=1 ./..."},
	{language: "Go", name: "github.com/sirupsen/logrus", version: "v1.10.2", fetch: goZip,
		command: "go test -count=1 ./..."},
	{language: "Go", name: "github.com/gomodule/redigo", version: "v1.9.3", fetch: goZip,
		command: "redis-server --save '' --daemonize yes >/dev/null && go test -count=1 -p 1 ./...; code=$?; " +
			"redis-cli shutdown nosave; exit $code"},

	{language: "Node", name: "qs", version: "6.14.0", fetch: npmTar, ignore: "node_modules/\n.nyc_output/\ncoverage/",
		setup: []string{"npm ci --silent --no-audit --no-fund"}, command: "npm run --silent tests-only"},
	{language: "Node", name: "fast-uri", version: "4.2.3", fetch: npmTar, ignore: "node_modules/",
		setup: []string{"npm ci --silent --no-audit --no-fund"}, command: "npm run --silent test:unit"},
	{language: "Node", name: "deep-equal", version: "2.2.3", fetch: npmTar,
		ignore: "node_modules/\n.nyc_output/\ncoverage/",
		setup:  []string{"npm ci --silent --no-audit --no-fund"}, command: "npx tape 'test/**/*.js'"},
	{language: "Node", name: "ref-napi", version: "3.0.3", fetch: npmTar, ignore: "node_modules/\nbuild/",
		setup:   []string{"npm ci --silent --no-audit --no-fund --ignore-scripts && npx node-gyp rebuild"},
		command: "npx mocha --expose-gc", env: []string{"npm_config_nodedir=/usr"}},

	{language: "Python", name: "six", version: "1.17.0", fetch: pythonTar, ignore: ".venv/\n__pycache__/",
		setup: []string{venv + ` pytest setuptools`}, command: ".venv/bin/python -m pytest -q test_six.py"},
	{language: "Python", name: "requests", version: "2.34.2", fetch: pythonTar, ignore: ".venv/\n__pycache__/",
		setup:   []string{venv + ` -e '.[socks]' pytest pytest-httpbin==2.1.0 'httpbin~=0.10.0' pytest-mock trustme`},
		command: ".venv/bin/python -m pytest -q tests -k 'not connect_timeout and not timeout_connect'"},
	{language: "Python", name: "typing_extensions", version: "4.16.0", fetch: pythonTar, ignore: ".venv/\n__pycache__/",
		setup:   []string{"python3 -m venv .venv"},
		command: "cd src && ../.venv/bin/python -m unittest -q test_typing_extensions"},
	{language: "Python", name: "cffi", version: "2.1.1", fetch: pythonTar, ignore: ".venv/\n__pycache__/\nbuild/\n*.so",
		setup: []string{venv + ` -e . pytest setuptools`}, command: ".venv/bin/python -m pytest -q src/c",
		key: []string{"setup.py", "pyproject.toml", "*.c", "*.h"}}, // setup compiles these

	{language: "Rust", name: "indexmap", version: "2.14.2", fetch: crateTar, ignore: "target/",
		command: "cargo test -q"},
	{language: "Rust", name: "hashbrown", version: "0.17.1", fetch: crateTar, ignore: "target/",
		command: "cargo test -q"},
	{language: "Rust", name: "rand", version: "0.10.4", fetch: crateTar, ignore: "target/", command: "cargo test -q"},
	{language: "Rust", name: "insta", version: "1.49.0", fetch: crateTar, ignore: "target/",
		command: "cargo test -q --all-features", env: []string{"CI=1"}},

	{language: "Java", name: "commons-codec", version: "1.22.1", fetch: "GROUP=commons-codec; " + mavenJar,
		ignore:  "target/", // Crc16Test reads a file that is in no jar, and all tests take more than two minutes
		command: maven + " -Dtest='org/apache/commons/codec/language/**/*Test,org/apache/commons/codec/net/*Test'"},
	{language: "Java", name: "commons-cli", version: "1.11.0", fetch: "GROUP=commons-cli; " + mavenJar,
		ignore: "target/", command: maven},
	{language: "Java", name: "commons-text", version: "1.15.0", fetch: "GROUP=org.apache.commons; " + mavenJar,
		ignore:  "target/", // two connect to www.apache.org
		command: maven + " -Dtest='!StringSubstitutorWithInterpolatorStringLookupTest,!UrlStringLookupTest'"},
	{language: "Java", name: "own-h2", version: "1", fetch: ownJava, ignore: "target/", command: "mvn -B -q test"},
}

const (
	venv = "python3 -m venv .venv && .venv/bin/pip install -q"
	// Only the test goals: plugins bound to other phases need a newer Maven than Debian's.
	maven = "mvn -B -q resources:resources compiler:compile resources:testResources compiler:testCompile " +
		"surefire:test"
)

// outcome is the result of one run of the commands.
type outcome struct {
	pass      bool
	wall, cpu time.Duration
	text      string
}

// TestRealProjects prints the rows of the guide's table: each project outside and inside the
// sandbox, the strongest on this machine. FERRUS_PROJECTS_ROUNDS is how often each runs, 3 by
// default.
func TestRealProjects(t *testing.T) {
	dir := os.Getenv(projectsEnv)
	if dir == "" {
		t.Skip("it fetches and runs 20 projects; set " + projectsEnv + " to a directory for them")
	}
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv(projectsEnv+"_ROUNDS"), "3"))
	hqtest.Must(t, err)
	for _, p := range realProjects {
		t.Run(filepath.Base(p.name), func(t *testing.T) { p.compare(t, dir, rounds) })
	}
}

func (p realProject) compare(t *testing.T, dir string, rounds int) {
	outside := filepath.Join(dir, filepath.Base(p.name)+"-"+p.version)
	if _, err := os.Stat(outside); err != nil {
		p.prepare(t, outside)
	}
	if first := p.outside(t, outside); !first.pass {
		t.Fatalf("%s fails outside:\n%s", p.name, first.text)
	}
	in := p.startTask(t, outside)
	var record gate.Record
	var out, inside []outcome
	for i := range rounds {
		out = append(out, p.outside(t, outside))
		hqtest.Write(t, in.Dir, "ROUND.md", strconv.Itoa(i))
		var o outcome
		o, record = p.inside(t, in)
		inside = append(inside, o)
		if last := out[len(out)-1]; o.pass != last.pass {
			t.Errorf("%s passed outside: %t, inside: %t:\n%s\n%s", p.name, last.pass, o.pass, last.text, o.text)
		}
	}
	t.Logf("| %s | %s %s | %v | %s | %s | %s | %.2f | %.2f | %s |", p.language, filepath.Base(p.name), p.version,
		record.Tests(), verdict(out), verdict(inside), record.Sandbox.Kind,
		ratio(inside, out, func(o outcome) time.Duration { return o.wall }),
		ratio(inside, out, func(o outcome) time.Duration { return o.cpu }),
		strings.Join(slices.Concat(p.env, p.key), ", "))
	t.Logf("%s: outside %v, inside %v", p.name, out, inside)
	first := p.firstOfTask(t, in)
	wall, cpu := []outcome{first}, func(o outcome) time.Duration { return o.cpu }
	t.Logf("%s: the first gate of the next task took %v: %.2f of outside, %.2f of its processor time", p.name, first,
		ratio(wall, out, func(o outcome) time.Duration { return o.wall }), ratio(wall, out, cpu))
}

// firstOfTask begins another task in the same project, has its base checked as in the background,
// and runs its first gate.
func (p realProject) firstOfTask(t *testing.T, in *project.Task) outcome {
	hqtest.Do(t, in, core.Command{Kind: "reset", By: project.HumanActor()})
	hqtest.Write(t, in.Dir, "ROUND.md", "committed")
	gittest.Commit(t, in.Dir)
	hqtest.Do(t, in, core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do the next"})
	hqtest.Do(t, in, core.Command{Kind: "claim", By: hqtest.Executor()})
	hqtest.Must(t, gate.RunBase(t.Context(), in))
	hqtest.Write(t, in.Dir, "NEXT.md", "x")
	first, _ := p.inside(t, in)
	if !first.pass {
		t.Errorf("%s: the first gate of the next task failed:\n%s", p.name, first.text)
	}
	return first
}

// String omits the text.
func (o outcome) String() string {
	return fmt.Sprintf("%v %v cpu", o.wall.Round(time.Millisecond), o.cpu.Round(time.Millisecond))
}

// prepare fetches the sources, and runs the setup commands in them.
func (p realProject) prepare(t *testing.T, dir string) {
	made := dir + ".new"
	hqtest.Must(t, os.RemoveAll(made))
	hqtest.Must(t, os.MkdirAll(made, 0o755))
	for _, command := range []string{"NAME=" + p.name + " VERSION=" + p.version + "; " + p.fetch,
		"rm -rf .git; touch .gitignore; printf '%s\\n' '" + p.ignore + "' .ferrus/ >>.gitignore"} {
		if o := shell(t, made, command); !o.pass {
			t.Fatalf("fetch %s: %s", p.name, o.text)
		}
	}
	hqtest.Must(t, os.Rename(made, dir))
	gittest.Commit(t, dir)
	for _, command := range p.setup {
		if o := shell(t, dir, command, p.env...); !o.pass {
			t.Fatalf("set %s up: %s", p.name, o.text)
		}
	}
}

// startTask opens a copy of the committed project, and checks a task's base.
func (p realProject) startTask(t *testing.T, outside string) *project.Task {
	dir := filepath.Join(t.TempDir(), filepath.Base(p.name))
	gittest.Run(t, "", "clone", "-q", outside, dir)
	gittest.Run(t, dir, "remote", "remove", "origin")
	quoted := func(all []string) string {
		var list []string
		for _, s := range all {
			list = append(list, strconv.Quote(s))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	hqtest.Write(t, dir, "ferrus.toml", "[checks]\ncommands = "+quoted([]string{p.measured()})+"\nsetup = "+
		quoted(p.setup)+"\nenv = "+quoted(p.env)+"\nkey = "+quoted(p.key)+"\nprotect = false\n")
	gittest.Commit(t, dir)
	in := hqtest.Open(t, dir)
	in.Lanes = filepath.Join(filepath.Dir(outside), "lanes")
	t.Cleanup(func() { _ = os.RemoveAll(string(gate.LaneOf(in))) })
	hqtest.Do(t, in, core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	hqtest.Do(t, in, core.Command{Kind: "claim", By: hqtest.Executor()})
	start := time.Now()
	hqtest.Must(t, gate.RunBase(t.Context(), in))
	t.Logf("%s: the base's check took %v", p.name, time.Since(start).Round(time.Millisecond))
	return in
}

// outside runs the commands as you do.
func (p realProject) outside(t *testing.T, dir string) outcome {
	o := shell(t, dir, p.measured(), p.env...)
	o.cpu = used(t, o.text)
	return o
}

// inside runs the gate.
func (p realProject) inside(t *testing.T, in *project.Task) (outcome, gate.Record) {
	start := time.Now()
	ticket := hqtest.Do(t, in, core.Command{Kind: "check", By: hqtest.Executor()}).Ticket
	hqtest.Must(t, gate.Run(t.Context(), in, ticket, gate.Options{}))
	wall := time.Since(start)
	record, err := gate.Read(in, ticket)
	hqtest.Must(t, err)
	log, err := os.ReadFile(filepath.Join(in.Dir, record.Log))
	hqtest.Must(t, err)
	return outcome{record.Green(), wall, used(t, string(log)), record.Report}, record
}

// shell runs a command in a directory, with your environment and more variables.
func shell(t *testing.T, dir, command string, env ...string) outcome {
	start := time.Now()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return outcome{pass: err == nil, wall: time.Since(start), text: string(out)}
}

// measured returns the command with its processor time as the last line of its output.
func (p realProject) measured() string {
	return "(" + p.command + "); code=$?; times; exit $code"
}

// used returns that time.
func used(t *testing.T, output string) (total time.Duration) {
	lines := timesLine.FindAllString(output, -1)
	if len(lines) == 0 {
		t.Fatalf("no processor time in %s", output)
	}
	for _, word := range strings.Fields(lines[len(lines)-1]) {
		d, err := time.ParseDuration(word)
		hqtest.Must(t, err)
		total += d
	}
	return total
}

var timesLine = regexp.MustCompile(`\b\d+m\d+\.\d+s \d+m\d+\.\d+s\b`)

func verdict(all []outcome) string {
	passed := 0
	for _, o := range all {
		if o.pass {
			passed++
		}
	}
	switch passed {
	case len(all):
		return "PASS"
	case 0:
		return "FAIL"
	}
	return fmt.Sprintf("PASS %d of %d", passed, len(all))
}

// ratio compares the medians of two lists.
func ratio(a, b []outcome, by func(outcome) time.Duration) float64 {
	median := func(all []outcome) float64 {
		var list []time.Duration
		for _, o := range all {
			list = append(list, by(o))
		}
		slices.Sort(list)
		return list[len(list)/2].Seconds()
	}
	return median(a) / median(b)
}
