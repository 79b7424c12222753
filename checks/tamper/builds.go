package tamper

import "ferrus/ui/text/lazyregexp"

// buildParts are of the files that build tools and their runners load by themselves, by the words that decide which
// tests run, what runs them and what fails them.
var buildParts = []part{
	// Cargo
	{rule: testSettings, path: cargoConfig, section: lazyregexp.New(`^\[+(?:alias|build|env|host|patch|profile|source|target|unstable)\b`),
		line: anyLine},
	{rule: testSettings, path: cargoConfig,
		line: lazyregexp.New(`^\s*(?:alias|build|env|host|patch|profile|source|target|unstable|include|paths)\b[^=\[]*=`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)Cargo\.toml$`), section: lazyregexp.New(`^\[profile\.(?:dev|test)\b`),
		line: lazyregexp.New(`^\s*(?:debug-assertions|overflow-checks|panic|inherits|codegen-backend)\s*=`)},
	{rule: testSettings, gone: true, path: lazyregexp.New(`(?:^|/)Cargo\.toml$`), line: lazyregexp.New(`^\s*\[\[test\]\]`)},

	// Maven and Gradle
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.mvn/(?:extensions\.xml|settings\.xml|develocity\.xml)$`), line: anyLine},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)pom\.xml$`), line: lazyregexp.New(
		`(?i)\b(?:surefire|failsafe)\.|test\.failure|<(?:test|skip|argLine|jvm|forkCount|testClassesDirectory|classesDirectory)>`)},
	{rule: runnerSettings, gone: true, path: lazyregexp.New(`(?:^|/)pom\.xml$`), line: lazyregexp.New(`<module>`)},
	{rule: runnerSettings, path: gradleScript, not: gradleDependency, line: lazyregexp.New(
		`\b(?:[tT]ests?|Test|TestTask|allTests|check)\b|\bonlyIf\b|\benabled\b|\bsetEnabled\b|ignoreFailures|failOnNoDiscoveredTests` +
			`|taskGraph|beforeProject|afterEvaluate|allprojects|\bactions\b|\b(?:ex|in)clude(?:Tags?|Engines?|TestsMatching)\b|useJUnit|filter\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)gradle\.properties$`), line: lazyregexp.New(
		`(?i)jvmargs|javaagent|systemProp\.|init\.?script|continue|\bexclude`)},

	// .NET
	{rule: runnerSettings, path: dotnetProject, line: lazyregexp.New(
		`IsTestProject|Compile\s+Remove|<Target\b|<UsingTask\b|<Import\b|VSTest|RunSettings|TestingPlatform|TestRunner|DefineConstants`)},
	{rule: runnerSettings, gone: true, path: dotnetProject, line: lazyregexp.New(
		`(?i)<PackageReference\s+Include="(?:xunit\.runner|Microsoft\.NET\.Test\.Sdk|NUnit3TestAdapter|MSTest\.TestAdapter)`)},
	{rule: runnerSettings, gone: true, path: lazyregexp.New(`\.(?:slnx?|slnf)$`), line: lazyregexp.New(`(?i)Project\b.*test`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)global\.json$`), line: lazyregexp.New(`"(?:test|runner|msbuild-sdks|paths)"`)},

	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:Directory\.Build|MSBuild)\.rsp$`), line: anyLine},

	// Bazel
	{rule: runnerSettings, gone: true, path: bazelFile, line: lazyregexp.New(`\b\w*_test\s*\(|\btest_suite\s*\(`)},
	{rule: runnerSettings, path: bazelFile, line: lazyregexp.New(
		`"manual"|\bargs\s*=.*test\.|--test_filter|\bflaky\s*=|target_compatible_with|\bdef\s+\w*_?test\s*\(|\bincompatible\b`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:\.bazelignore|\.bazelversion|REPO\.bazel|user\.bazelrc|tools/bazel)$`),
		line: anyLine},

	// Ruby, PHP and Elixir
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:Gemfile|gems\.rb)$`), line: lazyregexp.New(
		`^\s*(?:plugin|eval_gemfile|eval|instance_eval|exit|exec|system|at_exit|load|require|require_relative|module|class|def)\b|` + "`")},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.bundle/`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:(?:spec|rails|test|teaspoon|minitest)_helper|spec/support/.*|test/support/.*)\.rb$`),
		line: lazyregexp.New(`\bfilter_run\w*|\bdefault_retry_count\b|instance_variable_set\(:@exception|\b(?:ex|in)clusion_filter|\.around\b|\bdefine_derived_metadata|\bat_exit\b|\bexit!|\w_eval\b` +
			`|\bdefine_method\b|\bprepend\b|\b(?:class|module)\s+(?:RSpec|Minitest|Test::Unit)|failure_exit_code|error_exit_code|TracePoint`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.simplecov$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)composer\.json$`), line: lazyregexp.New(
		`"(?:pre-|post-)?(?:test|tests|check|lint|ci|phpunit|pest|phpstan|psalm|analy[sz]e|autoload-dump)[\w:-]*"\s*:|"files"\s*:|"type"\s*:\s*"path"`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)tests/(?:bootstrap|Pest|TestCase)\.php$`), line: lazyregexp.New(
		`\bexit\b|\bdie\b|register_shutdown_function|->skip\(|\brunTest\b|markTest|set_(?:error|exception)_handler`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)mix\.exs$`), line: lazyregexp.New(
		`\baliases\b|\btest\w*:|"(?:test|ci|check)\w*"|\bSystem\.halt|\belixirc_paths\b|warnings_as_errors`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)test_helper\.exs$`), line: lazyregexp.New(`\bSystem\.(?:halt|at_exit|stop)\b|\bmax_failures\b`)},

	// Tasks of Python's and other tools
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)pyproject\.toml$`), section: lazyregexp.New(
		`^\[+tool\.(?:poe\b|hatch\.envs|pdm\.scripts|taskipy|rye\.scripts|pixi\.(?:.*\.)?tasks|uv\.sources|tox\b)`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:pixi|hatch)\.toml$`), section: lazyregexp.New(
		`^\[+(?:.*\.)?(?:tasks|scripts)\b`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)Pipfile$`), section: lazyregexp.New(`^\[scripts\]`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)(?:cypress\.config\.[cm]?[jt]s|cucumber\.(?:[cm]?js|json|ya?ml)|codecept\.conf\.[jt]s)$`),
		line: lazyregexp.New(`\b(?:specPattern|excludeSpecPattern|tags|tests|paths|retry|retries|name|dryRun|setupNodeEvents)\b`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)node\.config\.json$`), line: anyLine},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)\.yarnrc\.yml$`), line: lazyregexp.New(`^\s*(?:plugins|-\s|path)|spec:`)},
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)import_?map\.json$`), line: lazyregexp.New(`(?i)assert|expect|test|mock`)},

	// Others
	{rule: testSettings, path: lazyregexp.New(`(?:^|/)vitest\.workspace\.[^/]+$`), line: anyLine},
	{rule: testSettings, gone: true, path: lazyregexp.New(`(?:^|/)go\.work$`), line: lazyregexp.New(`^\s*\.`)},
	{rule: runnerSettings, path: lazyregexp.New(`\.rake$`), line: lazyregexp.New(`(?i)\b(?:test|spec|check|ci)s?\b|\bRake::Task\b`)},
	{rule: runnerSettings, path: lazyregexp.New(`(?:^|/)(?:project\.clj|deps\.edn|bb\.edn|rebar\.config|build\.ninja|pants\.toml|BUCK|gleam\.toml)$`),
		line: lazyregexp.New(`(?i)test|\bci\b|\bcheck\b`)},
	{rule: runnerSettings, gone: true, path: lazyregexp.New(`(?:^|/)(?:package\.yaml|[^/]+\.cabal|dune)$`),
		line: lazyregexp.New(`^\s*(?:test-suite\b|tests:|\(tests?\b|\(rule\b)`)},
}

var (
	cargoConfig  = lazyregexp.New(`(?:^|/)\.cargo/config(?:\.toml)?$`)
	gradleScript = lazyregexp.New(`\.gradle(?:\.kts)?$|(?:^|/)(?:buildSrc|build-logic)/.*\.(?:kts?|groovy|java)$`)
	// gradleDependency is a line that names a dependency, or a plugin.
	gradleDependency = lazyregexp.New(`^\s*(?:\w*(?:[iI]mplementation|[aA]pi|Only|[pP]rocessor|kapt|ksp)\b[\s(]|id[\s(]|kotlin\(|alias\(|//|\*)`)
	dotnetProject    = lazyregexp.New(`\.(?:cs|fs|vb)proj$|(?:^|/)Directory\.(?:Build|Solution|Packages)\.(?:props|targets)$|\.targets$`)
	bazelFile        = lazyregexp.New(`(?:^|/)BUILD(?:\.bazel)?$|\.bzl$`)
)
