package home

// List is what a vendor's program needs of your home. Each adapter has its own.
type List struct {
	// The program has been run inside the sandbox with no more than this.
	Tried bool
	// Why it cannot run there all the same, such as a login that is in no file; empty: nothing is known.
	Unfit string
	Dirs  []Dir
	// Variables of files that are not in these directories, which must be readable.
	Named []string
	// Files beside these that must be readable.
	Files []string
}

// Dir is a directory of the vendor.
type Dir struct {
	Variable string   // that says where it is; empty: none does
	Default  string   // where it is without the variable, below your home; empty: your home itself
	Below    string   // the part of the file to copy; empty: all of it
	Copy     []string // settings and instructions below that: files and directories, also by a pattern such as *.sh
	Show     []string // directories below that which may be large: they are read where they are, through a link
	Logins   []Login
	// The program knows its settings by a hash, and by where they are. So paths in them stay, and lead to your
	// files, which must be readable; the keys of a TOML file lead into the private home.
	Hashed bool
}

// Login is a file with tokens, in JSON. Only the values of fields of its accounts return to your home: nothing else
// that a session writes there, and no new field or account.
type Login struct {
	File     string // below the directory
	Accounts []Account
}

// Account is where tokens are in a file, by paths: in a.b, a name may be * for every one, and [a] for every object of a
// list, by the text that it has as a. Each of those is an account of its own.
type Account struct {
	Fields  []string // that a refresh changes
	Owner   []string // fields that tell whose they are: tokens of another account, or for another server, stay here
	Renewed string   // the field that grows with each refresh
}
