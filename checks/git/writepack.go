package git

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// PackWriter writes a pack: https://git-scm.com/docs/gitformat-pack. Nothing is compressed: it is read once, and soon.
type PackWriter struct {
	base    string // the name of the files, without an ending
	file    *os.File
	out     *bufio.Writer
	sum     hash.Hash
	at      uint64
	entries []packedEntry
}

type packedEntry struct {
	name []byte
	crc  uint32
	at   uint64
}

// NewPackWriter starts a pack of so many objects in a directory of objects, with names in the format of another name.
func NewPackWriter(dir, like string, count int) (*PackWriter, error) {
	dir = filepath.Join(dir, "pack")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	w := &PackWriter{base: filepath.Join(dir, "pack-"+EmptyTreeLike(like)), sum: packSum(like)}
	var err error
	if w.file, err = os.Create(w.base + ".pack"); err != nil {
		return nil, err
	}
	w.out = bufio.NewWriterSize(io.MultiWriter(w.file, w.sum), 64<<10)
	return w, w.write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(count)))
}

func packSum(like string) hash.Hash {
	if formatOf(like) == "sha256" {
		return sha256.New()
	}
	return sha1.New()
}

func (w *PackWriter) write(data []byte) error {
	w.at += uint64(len(data))
	_, err := w.out.Write(data)
	return err
}

// Add adds an object under a name, whether that is its name or not.
func (w *PackWriter) Add(kind, id string, content []byte) error {
	name, err := hex.DecodeString(id)
	if err != nil {
		return fmt.Errorf("write a pack: %w", err)
	}
	size := uint64(len(content))
	head := []byte{byte(slices.Index(packedKinds[:], kind))<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	entry := append(head, stored(content)...)
	w.entries = append(w.entries, packedEntry{name, crc32.ChecksumIEEE(entry), w.at})
	return w.write(entry)
}

// Close writes the end of the pack, and its index.
func (w *PackWriter) Close() error {
	err := w.out.Flush()
	sum := w.sum.Sum(nil)
	_, failed := w.file.Write(sum)
	err = errors.Join(err, failed, w.file.Close())
	if err != nil {
		return err
	}
	return os.WriteFile(w.base+".idx", w.index(sum), 0o400)
}

// index returns the index of the pack, whose hash is given.
func (w *PackWriter) index(pack []byte) []byte {
	slices.SortFunc(w.entries, func(a, b packedEntry) int { return bytes.Compare(a.name, b.name) })
	data := []byte(packIndexHead)
	count := 0
	for first := range 256 {
		for count < len(w.entries) && int(w.entries[count].name[0]) <= first {
			count++
		}
		data = binary.BigEndian.AppendUint32(data, uint32(count))
	}
	var checks, places, far []byte
	for _, e := range w.entries {
		data = append(data, e.name...)
		checks = binary.BigEndian.AppendUint32(checks, e.crc)
		place := uint32(e.at)
		if e.at >= uint64(packedLarge) {
			place = packedLarge | uint32(len(far)/8)
			far = binary.BigEndian.AppendUint64(far, e.at)
		}
		places = binary.BigEndian.AppendUint32(places, place)
	}
	data = slices.Concat(data, checks, places, far, pack)
	w.sum.Reset()
	w.sum.Write(data)
	return w.sum.Sum(data)
}
