// Package e2e runs the whole loop with the vendors' own clients, as published on
// npm, against a model server of our own on loopback.
//
// Its tests have the build tag e2e, because they install programs of several
// hundred megabytes: `task e2e`, or `task e2e:all` for every pair of them. The clients are kept below
// $XDG_CACHE_HOME/ferrus-e2e, one folder a version; nothing is installed globally
// or in the repository.
package e2e
