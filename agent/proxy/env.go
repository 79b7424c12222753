package proxy

import (
	"fmt"
	"os"
	"strings"
)

// Env returns the variables that make programs inside use the proxy, as NAME=value.
// They replace the variables of a proxy of your own.
func Env() (all []string) {
	at := fmt.Sprintf("http://127.0.0.1:%d", Port)
	const direct = "localhost,127.0.0.1,::1"
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy"} {
		all = append(all, name+"="+at, strings.ToUpper(name)+"="+at)
	}
	all = append(all, "no_proxy="+direct, "NO_PROXY="+direct)
	for _, name := range []string{"MAVEN_OPTS", "GRADLE_OPTS", "SBT_OPTS"} {
		all = append(all, name+"="+strings.TrimSpace(os.Getenv(name)+" "+javaProperties()))
	}
	return all
}

// javaProperties returns what programs in Java know instead of variables.
func javaProperties() string {
	var all []string
	for _, scheme := range []string{"http", "https"} {
		all = append(all, fmt.Sprintf("-D%s.proxyHost=127.0.0.1 -D%s.proxyPort=%d", scheme, scheme, Port))
	}
	return strings.Join(append(all, "-Dhttp.nonProxyHosts=localhost|127.*|[::1]"), " ")
}

// Registries are the hosts of public package registries.
var Registries = []string{
	"proxy.golang.org", "sum.golang.org",
	"registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org",
	"pypi.org", "files.pythonhosted.org",
	"index.crates.io", "static.crates.io", "crates.io", "static.rust-lang.org",
	"repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org",
	"rubygems.org", "index.rubygems.org", "repo.packagist.org", "api.nuget.org",
}
