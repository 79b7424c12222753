package tamper

import "testing"

// checkerWeakenings are weakenings in what checking tools and runners load beside their settings.
var checkerWeakenings = map[string][]weakening{
	testSettings: {
		{path: ".editorconfig", was: "[*.cs]\n", now: "[*.cs]\ndotnet_diagnostic.CA2007.severity = none\n"},
		{path: ".editorconfig", was: "[*.cs]\ndotnet_diagnostic.CA1.severity = error\n", now: "[*.cs]\n"},
		{path: "src/.editorconfig", now: "[*.cs]\ngenerated_code = true\n"},
		{path: ".editorconfig", was: "[*.kt]\n", now: "[*.kt]\nktlint_standard = disabled\n"},
		{path: ".globalconfig",
			now: "is_global = true\ndotnet_analyzer_diagnostic.category-Security.severity = silent\n"},
		{path: "app/lint.xml", now: "<lint>\n<issue id=\"x\">\n<ignore path=\"y\"/>\n"},
		{path: "analysis_options.yaml", was: "analyzer:\n", now: "analyzer:\n  exclude:\n    - lib/**\n"},
		{path: "lombok.config", now: "lombok.addLombokGeneratedAnnotation = true\n"},
		{path: "rust-toolchain.toml", was: "[toolchain]\nchannel = \"1.80\"\n",
			now: "[toolchain]\nchannel = \"mine\"\n"},
		{path: "rust-toolchain", now: "mine\n"},
		{path: "setup.py", was: "setup(\n)\n", now: "setup(\nentry_points={'pytest11': ['x = x']},\n)\n"},
		{path: "setup.py", was: "setup(\n)\n", now: "setup(\ncmdclass={'test': Nothing},\n)\n"},
		{path: "setup.cfg", was: "[metadata]\n", now: "[metadata]\n[aliases]\ntest = build\n"},
		{path: "src/test/resources/META-INF/services/org.testng.ITestNGListener", now: "x\n"},
		{path: "src/test/resources/SpockConfig.groovy", now: "runner { exclude Slow }\n"},
		{path: ".hspec", now: "--skip hard\n"},
		{path: ".config/insta.yaml", now: "test:\n  runner: x\n"},
		{path: "app.xctestplan", was: "{\n}\n", now: "{\n\"skippedTests\": []\n}\n"},
		{path: "angular.json", was: "{\n}\n", now: "{\n\"exclude\": [\"**/hard.spec.ts\"]\n}\n"},
		{path: "craco.config.js", now: "module.exports = {}\n"},
		{path: "config/test.exs", was: "x\n", now: "x\nconfig :ex_unit, exclude: [:hard]\n"},
		{path: "app/settings.py", was: "x\n", now: "x\nTEST_RUNNER = 'app.Nothing'\n"},
		{path: "php.ini", now: "auto_prepend_file = x.php\n"},
		{path: "package.json", was: `{"scripts":{"test":"wireit"}}`,
			now: `{"scripts":{"test":"wireit"},"wireit":{"test":{"command":"true"}}}`},
		{path: ".env", now: "GTEST_FILTER=Easy.*\n"},
	},
	findingsAccepted: {
		{path: "psalm-baseline.xml", was: "<files>\n</files>\n", now: "<files>\n<code>a</code>\n</files>\n"},
		{path: "psalm-baseline.xml", was: "<code>a</code>\n", now: "<code>a</code>\n<code>a</code>\n"},
		{path: "phpstan-baseline.neon", was: "message: x\ncount: 1\n", now: "message: x\ncount: 3\n"},
		{path: "mypy-baseline.txt", now: "a.py:0: error: x\n"},
		{path: "config/detekt/baseline.xml", was: "<ID>a</ID>\n", now: "<ID>a</ID>\n<ID>b</ID>\n"},
		{path: ".rubocop_todo.yml", now: "Metrics/AbcSize:\n  Max: 99\n"},
		{path: "eslint-suppressions.json", was: "{\n}\n",
			now: "{\n\"a.js\": {\n\"no-eval\": {\n\"count\": 1\n}\n}\n}\n"},
	},
	"dependency-replaced": {
		{path: "gradle/libs.versions.toml",
			was: "[libraries]\njunit = { module = \"org.junit:junit\", version = \"5\" }\n",
			now: "[libraries]\njunit = { module = \"org.evil:always\", version = \"5\" }\n"},
		{path: "gradle/libs.versions.toml", was: "[libraries]\nassertj = \"org.assertj:assertj-core:3\"\n",
			now: "[libraries]\nassertj = \"org.evil:assertj-core:3\"\n"},
		{path: "settings.gradle.kts", was: "x\n", now: "x\nmaven { url = uri(\"file:///tmp/m\") }\n"},
		{path: "build.gradle", was: "x\n", now: "x\nsubstitute module('junit:junit') using project(':fake')\n"},
		{path: "pom.xml", was: "x\n", now: "x\n<systemPath>${basedir}/fake.jar</systemPath>\n"},
	},
	"skip-added": {
		{path: "src/test/java/ATest.java", was: "  @Test\n  void a() {}\n",
			now:   "  @Tag(\"slow\")\n  @Test\n  void a() {}\n",
			files: map[string]string{"pom.xml": "<excludedGroups>slow</excludedGroups>\n"}},
		{path: "src/test/java/ATest.java", was: "  @Test\n  void a() {}\n", now: "  @Slow\n  @Test\n  void a() {}\n",
			commands: "mvn test '-Dgroups=!slow'"},
		{path: "src/test/java/ATest.java", was: "  @Tag(\"fast\")\n  @Test\n  void a() {}\n",
			now:      "  @Test\n  void a() {}\n",
			commands: "mvn test -Dgroups=fast"},
		{path: "tests/test_a.py", was: "def test_a():\n", now: "@pytest.mark.slow\ndef test_a():\n",
			files: map[string]string{"pytest.ini": "[pytest]\naddopts = -m \"not (slow or net)\"\n"}},
		{path: "tests/ATests.cs", was: "[Fact]\n", now: "[Trait(\"Category\", \"Slow\")]\n[Fact]\n",
			commands: "dotnet test --filter Category!=Slow"},
		{path: "spec/a_spec.rb", was: "it 'a' do\n", now: "it 'a', :slow do\n",
			files: map[string]string{".rspec": "--tag ~slow\n"}},
		{path: "test/a_test.exs", was: "test \"a\" do\n", now: "@tag :slow\ntest \"a\" do\n",
			files: map[string]string{"test/test_helper.exs": "ExUnit.start(exclude: [:slow])\n"}},
		{path: "features/a.feature", was: "Scenario: a\n", now: "@slow\nScenario: a\n",
			commands: "npx cucumber-js --tags 'not @slow'"},
	},
	runsUnasked: {
		{path: ".Rprofile", now: "x\n"},
		{path: "package.json", was: "{\n}\n", now: "{\n\"simple-git-hooks\": {\"pre-push\": \"x\"}\n}\n"},
	},
}

// ordinaryCheckers are changes of the same files that weaken nothing.
var ordinaryCheckers = []weakening{
	{path: ".editorconfig", was: "[*]\n", now: "[*]\nindent_size = 2\ncsharp_style_var = true:silent\n"},
	{path: ".editorconfig", was: "[*.cs]\ndotnet_diagnostic.CA1.severity = warning\n",
		now: "[*.cs]\ndotnet_diagnostic.CA1.severity = error\n"},
	{path: "analysis_options.yaml", was: "linter:\n", now: "linter:\n  rules:\n    - avoid_print\n"},
	{path: "lombok.config", now: "config.stopBubbling = true\nlombok.log.fieldName = LOG\n"},
	{path: "rust-toolchain.toml", was: "[toolchain]\nchannel = \"1.80\"\n",
		now: "[toolchain]\nchannel = \"1.81.0\"\n"},
	{path: "rust-toolchain", was: "nightly-2024-01-01\n", now: "nightly-2024-02-01\n"},
	{path: "setup.py", was: "setup(\nversion='1',\n)\n",
		now: "setup(\nversion='2',\ninstall_requires=['pytest'],\n)\n"},
	{path: "setup.cfg", was: "[metadata]\nversion = 1\n", now: "[metadata]\nversion = 2\n"},
	{path: "psalm-baseline.xml", was: "<files psalm-version=\"5\">\n<code>a</code>\n<code>b</code>\n",
		now: "<files psalm-version=\"6\">\n<code>a</code>\n"},
	{path: "phpstan-baseline.neon", was: "message: x\ncount: 3\n", now: "message: x\ncount: 1\n"},
	{path: "bench/baseline.json", was: "{\"a\": 1}\n", now: "{\"a\": 2}\n"},
	{path: "gradle/libs.versions.toml", was: "[libraries]\njunit = { module = \"org.junit:junit\", version = \"5\" }\n",
		now: "[libraries]\njunit = { module = \"org.junit:junit\", version = \"6\" }\nx = \"a:b:1\"\n"},
	{path: "settings.gradle", was: "x\n",
		now: "x\nincludeBuild 'build-logic'\nmaven { url = uri(\"https://a.example/m\") }\n"},
	{path: "src/test/java/ATest.java", was: "  @Test\n  void a() {}\n",
		now: "  @Tag(\"slow\")\n  @Test\n  void a() {}\n"},
	{path: "src/test/java/ATest.java", was: "  @Tag(\"slow\")\n  @Test\n  void a() {}\n",
		now:   "  @Test\n  void a() {}\n",
		files: map[string]string{"pom.xml": "<excludedGroups>slow</excludedGroups>\n"}},
	{path: "tests/test_a.py", was: "x\n",
		now: "x\n@pytest.mark.slow\ndef test_new():\n", commands: "pytest -m 'not slow'"},
	{path: "tests/test_a.py", was: "def test_a():\n", now: "@pytest.mark.slow\ndef test_a():\n",
		files: map[string]string{"pytest.ini": "[pytest]\nmarkers =\n  slow: deselect with -m \"not slow\"\n"}},
	{path: "angular.json", was: "{\n}\n", now: "{\n\"outputPath\": \"dist\"\n}\n"},
	{path: "app/settings.py", was: "x\n", now: "x\nDEBUG = False\n"},
}

func TestWeakerCheckersNeedTheHuman(t *testing.T) {
	t.Parallel()
	mustNeedHuman(t, checkerWeakenings)
}

// What counts of a file on the reader's machine is what its programs run.
func TestRunsUnasked(t *testing.T) {
	t.Parallel()
	agents := []string{".agent", ".env"}
	for name, want := range map[string]string{
		".agent/settings.local.json": "x = 1\n[core]\n\tfsmonitor = ./x\n",
		".envrc":                     "x = 1\n[core]\n\tfsmonitor = ./x\n",
		".git/config":                ".x = 1\ncore.fsmonitor = ./x\n",
		".git/hooks/post-commit":     "x = 1\n[core]\n\tfsmonitor = ./x\n",
		".git/modules/a/config":      ".x = 1\ncore.fsmonitor = ./x\n",
		".git/index":                 "",
		".idea/workspace.xml":        "",
		".env":                       "",
		"a.go":                       "",
	} {
		const text = "x = 1\n[core]\n\tfsmonitor = ./x\n"
		if got, runs := RunsUnasked(name, func() string { return text }, agents); got != want || runs != (want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, runs, want)
		}
	}
}

// A list of findings that is too long to compare needs the human.
func TestLongBaseline(t *testing.T) {
	t.Parallel()
	c := weakening{path: "psalm-baseline.xml", was: "<code>a</code>\n", now: "<code>b</code>\n"}.change()
	c.Unread = func(string) bool { return true }
	alarms, err := Find(c)
	if err != nil || len(alarms) == 0 || alarms[0].Rule != findingsAccepted {
		t.Errorf("%+v, %v", alarms, err)
	}
}
