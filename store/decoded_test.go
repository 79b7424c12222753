package store

import "testing"

// What a caller does to the head of a document does not change what others read.
func TestADecodedStateIsNotShared(t *testing.T) {
	d, err := createMemory(newMemory())
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first, err := d.readDocument(f)
	if err != nil {
		t.Fatal(err)
	}
	want := *first.Head
	first.Head.SHA256, first.Head.Project = "changed", "changed"
	second, err := d.readDocument(f)
	if err != nil {
		t.Fatal(err)
	}
	if *second.Head != want {
		t.Errorf("the head is %+v, want %+v", *second.Head, want)
	}
}
