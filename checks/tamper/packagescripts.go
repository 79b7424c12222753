package tamper

import (
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/ui/text/lazyregexp"
)

// linter is a program that checks no behavior, and what joins scripts to others.
var (
	linter = lazyregexp.New(
		`^(?:eslint|standard|prettier|tsc|attw|publint|aud|audit|eclint|evalmd|ls-lint|biome|neostandard|oxlint)$`)
	// style is a linter whose place another one may take, and show a program that only shows what it reads.
	// Without it, the program that it read from says with its exit code what failed.
	style = lazyregexp.New(`^(?:eslint|standard|neostandard|ts-standard|biome|oxlint|xo)$`)
	// typeTest tests types, and another one may take its place as well.
	typeTest = lazyregexp.New(`^(?:tsd|tsd-lite|tstyche|dtslint)$`)
	show     = lazyregexp.New(`\s\|\s(?:snazzy|faucet|colortape|tap-(?:spec|dot|diff|min|arc|difflet|nyan))\s*$`)
	// silences is an option with which a linter finds less, and allWarnings one with which warnings fail it.
	silences    = lazyregexp.New(`\s--(?:quiet|noCheck|skipLibCheck|no-error-on-unmatched-pattern|exit-zero|ignore-pattern)\b`)
	allWarnings = lazyregexp.New(`\s--max-warnings\b`)
	// plainTest runs tests, and changes no file.
	plainTest = lazyregexp.New(`^(?:nyc |c8 )?(?:tape|tap|borp|mocha|ava) [\w./* ]+$`)
	audit     = lazyregexp.New(`^(?:npx )?(?:npm )?aud(?:it)?\b`)
	inner     = lazyregexp.New(`\$\((?:git ls-files|find)(?:[^;&()>]|2> ?/dev/null)*\)`)
	stronger  = lazyregexp.New(`\s--(?:coverage|check-coverage|verbose|ci|expose-gc|forbid-only|enable-source-maps` +
		`|throw-deprecation|unhandled-rejections=(?:strict|throw))(?:\s|$)`)
	widened = lazyregexp.New(`\*\*/\*`)
	unplain = lazyregexp.New("[|;<>`$]|\\b(?:rm|sed|mv|exit|true)\\b")
	// ownProcess is a runner whose tests also run under one that starts a process for each file.
	ownProcess = lazyregexp.New(`^(?:tap|tape) `)
	packageAt  = lazyregexp.New(`npm@["']?[>=^~ \d.]+["']?`)
)

// noWeakerScripts reports whether scripts still do all that they did: tests run with the same
// words, or with options that demand more, and linters still run, with whatever options.
func noWeakerScripts(was, now map[string]string) bool {
	for name, before := range was {
		after, ok := now[name]
		if !ok || before != after && !noWeakerScript(before, after) {
			return false
		}
	}
	for name, after := range now {
		if _, ok := was[name]; !ok && !noWeakerScript("", after) {
			return false
		}
	}
	return true
}

func noWeakerScript(before, after string) bool {
	calls := func(script string) (all []string) {
		script = packageAt.ReplaceAllString(inner.ReplaceAllString(script, ""), "npm")
		for _, call := range strings.Split(strings.NewReplacer("'", "", `"`, "").Replace(script), "&&") {
			call = stronger.ReplaceAllString(stronger.ReplaceAllString(call+" ", " "), " ")
			call = strings.TrimSpace(widened.ReplaceAllString(call, "*"))
			program, _, _ := strings.Cut(call, " ")
			switch {
			case audit.MatchString(call):
				call = "audit"
			case style.MatchString(program) && !unplain.MatchString(call):
				call = "style"
			case typeTest.MatchString(program) && !unplain.MatchString(call):
				call = "types"
			case linter.MatchString(program) && !unplain.MatchString(call):
				call = program
			}
			call = strings.Join(strings.Fields(strings.ReplaceAll(call, "**", "*")), " ")
			if each, found := strings.CutPrefix(call, "node --test "); found {
				call = "borp " + each
			}
			all = append(all, call)
		}
		return all
	}
	if silences.MatchString(after) && !silences.MatchString(before) ||
		allWarnings.MatchString(before) && !allWarnings.MatchString(after) {
		return false
	}
	was, now := calls(before), calls(after)
	if !show.MatchString(after) {
		was = calls(show.ReplaceAllString(before, ""))
	}
	odd := func(call string) bool { return unplain.MatchString(call) }
	if slices.ContainsFunc(without(was, now), odd) || slices.ContainsFunc(without(now, was), odd) {
		return false
	}
	for _, call := range was {
		each := ownProcess.ReplaceAllString(call, "borp ")
		if call != "" && !slices.Contains(now, call) && !slices.Contains(now, each) {
			return false
		}
	}
	return before != "" || !slices.ContainsFunc(now, func(call string) bool {
		return call != "style" && call != "types" && !linter.MatchString(call) && !plainTest.MatchString(call)
	})
}

// scriptsOf returns the scripts that a caller names, and what these name in turn.
func scriptsOf(all map[string]string, caller string) map[string]string {
	run := map[string]string{}
	for texts := []string{caller + " test"}; len(texts) > 0; texts = texts[1:] {
		for _, word := range checks.ShellWords(strings.ReplaceAll(texts[0], ":", "\x00")) {
			word = strings.ReplaceAll(word, "\x00", ":")
			for _, name := range []string{"pre" + word, word, "post" + word} {
				if script, ok := all[name]; ok && run[name] == "" {
					run[name] = script
					texts = append(texts, script)
				}
			}
			if begin, found := strings.CutSuffix(word, "*"); found { // run-s test:*
				for name, script := range all {
					if strings.HasPrefix(name, begin) && run[name] == "" {
						run[name] = script
						texts = append(texts, script)
					}
				}
			}
		}
	}
	return run
}
