// Package vt is a terminal emulator without a screen: bytes from a program go
// in, a grid of styled cells comes out.
//
// Call [New], write what the program prints to the [Terminal], send what
// [Terminal.Replies] returns back to the program, and draw [Terminal.Row] for
// each row whose [Terminal.RowGen] changed. EncodeKey, EncodeMouse, EncodePaste and
// EncodeFocus turn what the user does into bytes for the program, in the modes that it
// set. [NewLocked] returns a terminal behind a mutex.
//
// The input is not trusted. No bytes make it panic, and neither time nor
// memory grows beyond a constant factor of the input: parameters are clamped,
// strings are cut, the tables of styles and clusters are bounded, and
// scrollback is bounded by lines and by bytes. Nothing the program prints is
// acted upon outside the grid: a clipboard request is kept, not forwarded.
//
// # Width
//
// One rule, the same as in tmux: a character is as wide as its first code
// point is in the width table (0, 1 or 2 cells). What follows never changes
// that width. Zero-width code points are added to the cell before the cursor;
// so are skin tones after a wide cell, and a symbol right after a zero-width
// joiner. A variation selector 16 does not make a narrow symbol wide, and the
// two letters of a flag are two cells. When a row is drawn, a cluster that
// other terminals may give another width is reduced to its first code point:
// all but a character with plain marks. Directional formatting characters are
// dropped.
//
// # Where others differ
//
// Where terminals disagree, it does what tmux does. After the last column the
// cursor is past it: backspace leads into that column, erasing from there erases
// nothing, and a line feed stays there. There is one saved cursor for both screens,
// and one that mode 1049 puts back. Setting the scroll region goes to the first row
// also in origin mode, and inserting lines leaves the cursor in its column. What
// wrapping scrolls in has the default background.
//
// # What it does not do
//
// Left and right margins, which tmux does not have either, double-size lines, sixel and
// other images, and changes of the palette.
package vt
