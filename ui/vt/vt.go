// Package vt emulates the terminal that an agent believes it runs in.
package vt
