package tamper

import (
	"slices"
	"strings"
	"testing"
)

// honest are changes of the same look that weaken nothing.
var honest = []weakening{
	{path: "a.py", was: "x\n", now: "x\nTYPES = {'text/html': '.html', 'image/png': '.png'}\n",
		files: map[string]string{"tests/test_a.py": "f('text/html') == '.html'\nf('image/png') == '.png'\n"}},
	{path: "a.py", was: "x\n", now: "x\nNAMES = {'1st place': 'gold', '2nd place': 'silver', '3rd place': 'bronze'}\n",
		files: map[string]string{"tests/test_a.py": "f('1st place') == 'gold'\n"}},
	{path: "test_a.py", was: "def test_a(m):\n    assert g() == 1\n\ndef test_b():\n    assert f() == 1\n",
		now: "def test_a(m):\n    m.patch('b.f', return_value=2)\n" +
			"    assert g() == 1\n\ndef test_b():\n    assert f() == 1\n"},
	{path: "test_a.py", was: "    assert plural('ii') == (2, '(n != 1)')\n",
		now: "    assert plural('ba') == (2, '(n < 1)')\n"},
	{path: "pyproject.toml", was: "[tool.coverage.report]\nfail_under = 9\n", commands: "pytest --cov",
		now: "[tool.coverage.report]\nfail_under = 9\nexclude_also = [\"if __name__ == .__main__.:\"]\n"},
	{path: "test_a.py", was: "    assert f('ii') == (2, '(n != 1)')\n", now: "    assert f('ii') == (1, '0')\n"},
	{path: "test_a.py", was: "def test_a(m):\n    a = env.backend\n    assert g() == 1\n",
		now: "def test_a(m):\n    m.patch.object(env, 'backend', x)\n    a = env.backend\n    assert g() == 1\n"},
	{path: "test_a.py", was: "    assert f(x) == 1\n", now: "    assume(x > 2)\n    assert f(x) == 1\n"},
	{path: "test_a.py", was: "    assert f(x) == 1\n",
		now: "    if rejected:\n        assert not rejected_chars\n    assert f(x) == 1\n"},
	{path: "lib/a.js", was: "  return name(m)\n", now: "  if (!m) return 'anonymous'\n  return name(m)\n",
		files: map[string]string{"test/a.test.js": "t.equal(f(), 'anonymous')\n"}},
	{path: "pyproject.toml", was: "[tool.coverage.report]\nexclude_also = [\"a\"]\n", commands: "pytest --cov",
		now: "[tool.coverage.report]\nexclude_also = [\"a\", \"if TYPE_CHECKING:\"]\n"},
	{path: "test_a.py", was: "    assert len(f()) == 0\n", now: "    assert not f()\n"},
	{path: "test_a.py", was: "    assert f(x) == {'a': 1}\n",
		now: "    assert f(x) == {\n        'a': 1,\n        'b': 2,\n    }\n"},
	{path: "test_a.py", was: "    self.assertEqual(s.ran, True)\n", now: "    self.assertTrue(s.ran)\n"},
	{path: "test_a.py", was: "    assert '-' in name\n    assert f(name) == 1\n",
		now: "    assert re.match(pattern, name)\n    assert f(name) == 1\n"},
	{path: "test_a.py", was: "    assert await f().g(1)\n", now: "    assert await h().g(1)\n"},
	{path: "test_a.py", was: "x\n    def test_a(self):\n        assert f()\n",
		now: "x\n    def test_a(self, fake_time):\n        assert f()\n"},
	{path: "a_test.go", was: "\tif a.Multi != want {\n\t\tt.Fatal(a.Multi)\n",
		now: "\tif a.Multi {\n\t\tt.Fatal(a.Multi)\n"},
	{path: "test_a.py", was: "    assert f() == 1\n", now: "    assert f() == 2\n"},
	{path: "test_a.py", was: "    assert f() == True\n", now: "    assert f()\n"},
	{path: "test_a.py", was: "    assert g(x) == []\n", now: "    assert not g(x)\n"},
	{path: "test_a.py", was: "    assert x.y == 1\n",
		now: "    assert isinstance(x, Y)\n    assert x.y == 1\n    assert x.z == 2\n"},
	{path: "test_a.py", was: "    assert f() < 50\n", now: "    assert f() < 5\n"},
	{path: "test_a.py", was: "@settings(max_examples=5)\n", now: "@settings(max_examples=500)\n"},
	{path: "test_a.py", was: "x\n", now: "x\n\ndef test_b():\n    a = f(1)\n    assert a == f(1)\n"},
	{path: "test_a.py", was: "def test_a(m):\n    assert f() == 1\n",
		now: "def test_a(m):\n    m.setattr('b.clock', lambda: 0)\n    assert f() == 1\n"},
	{path: "a.test.ts", was: "  expect(f()).toBe(true)\n", now: "  expect(f()).toBeTruthy()\n"},
	{path: "a.test.ts", was: "it('a', () => {\n",
		now: "it('a', () => {\n  const get = vi.spyOn(api, 'get').mockReturnValue(1)\n" +
			"  expect(get).toHaveBeenCalled()\n"},
	{path: "a.test.ts", was: "import { A } from './a'\n",
		now: "import { A } from './a'\nimport { FakeClock } from './fakes'\n"},
	{path: "a_test.go", was: "\tif got != 1 {\n\t\tt.Error(got)\n",
		now: "\tif got != 1 || !ok {\n\t\tt.Error(got)\n"},
	{path: "a_test.go", was: "\t}{\n\t\t{1},\n\t\t{2},\n\t} {\n",
		now: "\t}{\n\t\t{1, 5},\n\t\t{2, 6},\n\t\t{3, 7},\n\t} {\n"},
	{path: "a_test.go",
		now: "func TestMain(m *testing.M) {\n\tif os.Getenv(\"A\") != \"\" {\n" +
			"\t\tos.Exit(0)\n\t}\n\tos.Exit(m.Run())\n}\n"},
	{path: "a.py", was: "x\n", now: "x\n    y: str = f()  # type: ignore[assignment]\n", commands: "pytest"},
	{path: "a.py", was: "x\n", now: "x\n    if os.environ.get('CI'):\n        width = 80\n"},
	{path: "a.py", was: "x\n", now: "x\n    frame = inspect.stack()[1]\n    logging.info('%s', frame.function)\n"},
	{path: "shop/unit.py", was: "x\n", now: "x\n    if unit == 'hours':\n        return 3600\n",
		files: map[string]string{"tests/test_unit.py": "assert seconds('hours') == 3600\n"}},
	{path: "shop/text.py", was: "x\n", now: "x\n    if not t:\n        return ''\n",
		files: map[string]string{"tests/test_text.py": "assert slug('') == ''\n"}},
	{path: "pyproject.toml", was: "[tool.ruff]\nline-length = 100\n",
		now: "[tool.ruff]\nline-length = 120\n", commands: "ruff check"},
	{path: ".rubocop.yml", was: "Metrics/MethodLength:\n  Max: 20\n",
		now: "Metrics/MethodLength:\n  Max: 15\n", commands: "rubocop"},
	{path: "tests/data/cases.csv", was: "a,b\n1,1\n", now: "a,b\n1,1\n2,4\n"},
	{path: "go.mod", was: "module a\n\ngo 1.24\n\ntoolchain go1.24.1\n", now: "module a\n\ngo 1.25\n"},
	{path: "tsconfig.json", was: "{\n  // \"rootDir\": \"./\",\n  \"strict\": true\n}\n",
		now: "{\n  \"strict\": true\n}\n", commands: "tsc"},
	{path: ".eslintrc", was: "{\n  \"root\": true\n}\n",
		now: "{\n  \"root\": true,\n  \"globals\": {\n    \"WeakRef\": false\n  }\n}\n", commands: "eslint ."},
	{path: "package.json", was: `{"scripts":{"test":"tsd"},"pre-commit": ["test"]}`,
		now: `{"scripts":{"test":"tstyche"}}`, commands: "npm test"},
	{path: ".pre-commit-config.yaml", was: "repos:\n- repo: local\n  hooks:\n  - entry: sh x\n",
		now: "repos:\n- repo: meta\n  hooks:\n  - id: identity\n"},
	{path: "pytest.ini", was: "[pytest]\ntestpaths = tests\n",
		now:      "[pytest]\ntestpaths = tests\nfilterwarnings = error\nmarkers =\n  slow: other jobs skip it\n",
		commands: "pytest"},
	{path: "requirements.txt", was: "pytest==9.0\n", now: "pytest==9.0\n-e .[dev]\n"},
	{path: "src/hypothesis/errors.py", was: "x = 1\n", now: "from hypothesis.internal import compat\nx = 1\n"},
	{path: "src/lib.rs", was: "struct Time;\n",
		now: "struct Time;\n#[cfg(test)]\nimpl quickcheck::Arbitrary for Time {\n}\n"},
	{path: "html.py", was: "def url(u):\n    if bad(u):\n        return '#harmful-link'\n    return u\n",
		now:   "def url(u):\n    if good(u):\n        return u\n    return '#harmful-link'\n",
		files: map[string]string{"test_html.py": "assert url('js:') == '#harmful-link'\n"}},
	{path: "test_a.py", was: "def test_a(x):\n    assert a(x)\n",
		now: "def test_a(x, y):\n    assert a(x)\n\n@pytest.mark.skipif(no_yaml, reason='none')\n" +
			"def test_b():\n    assert b()\n"},
}

func TestHonestChangesOfThatLookDoNotNeedTheHuman(t *testing.T) {
	t.Parallel()
	for _, h := range honest {
		all := alarmsOf(t, h.change())
		if slices.ContainsFunc(all, func(a string) bool { return !strings.HasPrefix(a, "(") }) {
			t.Errorf("%s: %q\n%s----\n%s", h.path, all, h.was, h.now)
		}
	}
}
