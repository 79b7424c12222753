package git

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// packedRepository returns a repository whose objects are in one pack, and their names and kinds.
func packedRepository(t *testing.T, random *rand.Rand, format string, repack ...string) (string, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	g := In(dir)
	do := func(args ...string) {
		t.Helper()
		if err := g.Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	do("init", "--quiet", "--object-format="+format)
	text := make([]byte, 3000)
	for i := range text {
		text[i] = byte(random.IntN(256))
	}
	for n := range 12 { // versions that git stores as differences
		at := random.IntN(len(text))
		rest := text[min(at+random.IntN(50), len(text)):]
		text = slices.Concat(text[:at], fmt.Appendf(nil, "change %d\n", n), rest)
		name := filepath.Join(dir, fmt.Sprintf("d%d", n%3), "file")
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, text, 0o600))
		if n%4 == 0 {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "large"), bytes.Repeat(text, 60), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		do("add", "--all")
		do("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "-m", "one more")
	}
	do("-c", "user.name=t", "-c", "user.email=t@localhost", "tag", "-a", "-m", "a tag", "one")
	do(append(append([]string{}, repack...), "repack", "-adfq", "--depth=50")...)
	listed, err := g.Output(t.Context(), "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for line := range strings.Lines(listed) {
		id, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		kinds[id] = kind
	}
	return dir, kinds
}

// TestPacksAreReadAsByGit checks that every object of a pack, however it is stored, matches its
// name, and that nothing else is found.
func TestPacksAreReadAsByGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	const digits = "0123456789abcdef"
	for name, set := range map[string][]string{
		"sha1":       {},
		"sha256":     {},
		"references": {"-c", "repack.useDeltaBaseOffset=false"},
		"large":      {"-c", "pack.indexVersion=2"},
	} {
		format := "sha1"
		if name == "sha256" {
			format = name
		}
		dir, kinds := packedRepository(t, random, format, set...)
		objects := filepath.Join(dir, ".git", "objects")
		if name == "large" { // every offset from 64 on in the table for large ones
			file := onePack(t, objects, ".pack")
			if err := In(dir).Do(t.Context(), "index-pack", "--index-version=2,0x40", "-o",
				filepath.Join(objects, "pack", "pack-large.idx"), file); err != nil {
				t.Fatal(err)
			}
			err := errors.Join(os.Remove(strings.TrimSuffix(file, ".pack")+".idx"),
				os.Rename(file, filepath.Join(objects, "pack", "pack-large.pack")))
			if err != nil {
				t.Fatal(err)
			}
		}
		direct := stores{dirs: []string{objects}}
		seen := map[string]int{}
		for id, kind := range kinds {
			if _, err := direct.read(kind, id); err != nil {
				t.Errorf("%s: read %s %s: %v", name, kind, id, err)
			}
			if _, err := direct.read("other", id); err == nil {
				t.Errorf("%s: %s %s is read as another kind", name, kind, id)
			}
			last := strings.Index(digits, id[len(id)-1:])
			absent := id[:len(id)-1] + string(digits[(last+1)%len(digits)])
			if kinds[absent] == "" && direct.has(absent) {
				t.Errorf("%s: %s is found, which is not there", name, absent)
			}
			seen[kind]++
		}
		direct.close()
		if len(seen) != 4 {
			t.Errorf("%s: read %v, want each of four kinds", name, seen)
		}
	}
}

// onePack returns the only file of objects with an ending.
func onePack(t *testing.T, objects, ending string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(objects, "pack", "pack-*"+ending))
	if err != nil || len(all) != 1 {
		t.Fatalf("packs: %v, %v", all, err)
	}
	return all[0]
}

// TestDamagedPacksAreNotBelieved checks that from a pack or an index that is damaged or cut short,
// an object either matches its name, or git is asked for it.
func TestDamagedPacksAreNotBelieved(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	dir, kinds := packedRepository(t, random, "sha1")
	objects := filepath.Join(dir, ".git", "objects")
	refused := 0
	for _, ending := range []string{".idx", ".pack"} {
		file := onePack(t, objects, ending)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			damaged := bytes.Clone(whole)
			switch random.IntN(4) {
			case 0:
				damaged = damaged[:random.IntN(len(damaged))]
			case 1: // in the head, or the counts of the index
				damaged[random.IntN(1100)] ^= 1 << random.IntN(8)
			default:
				for range 1 + random.IntN(200) {
					damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
				}
			}
			if err := errors.Join(os.Remove(file), os.WriteFile(file, damaged, 0o600)); err != nil {
				t.Fatal(err)
			}
			direct := stores{dirs: []string{objects}}
			for id, kind := range kinds {
				content, err := direct.read(kind, id)
				if err == nil && Hash(id, kind, content) != id {
					t.Fatalf("the damaged pack has %q as %s", content, id)
				} else if err != nil {
					refused++
				}
			}
			direct.close()
		}
		if err := errors.Join(os.Remove(file), os.WriteFile(file, whole, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused: the damage hit nothing")
	}
}

// FuzzPatch checks that no delta produces more than it announces, or reads outside its base.
func FuzzPatch(f *testing.F) {
	f.Add([]byte("base"), []byte{4, 4, 0x90, 4})
	f.Add([]byte("base"), []byte{4, 2, 2, 'a', 'b'})
	f.Add([]byte(""), []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80})
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		if made, err := patch(base, delta); err == nil && len(made) > directBytes {
			t.Errorf("the patched object has %d bytes, more than the limit", len(made))
		}
	})
}
