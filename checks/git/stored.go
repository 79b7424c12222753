package git

import (
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"io"
	"sync"
)

// storedBlock is the most bytes of a block that is not compressed: RFC 1951, 3.2.4.
const storedBlock = 1<<16 - 1

// stored returns data in the format of zlib (RFC 1950) without compressing it. A compressor of the library takes
// 800 KB, also for that.
func stored(data []byte) []byte {
	blocks := max((len(data)+storedBlock-1)/storedBlock, 1)
	out := make([]byte, 0, 2+5*blocks+len(data)+4)
	out = append(out, 0x78, 0x01)
	for rest, last := data, byte(0); last == 0; {
		block := rest[:min(len(rest), storedBlock)]
		if rest = rest[len(block):]; len(rest) == 0 {
			last = 1
		}
		out = append(out, last)
		out = binary.LittleEndian.AppendUint16(out, uint16(len(block)))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(len(block)))
		out = append(out, block...)
	}
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(data))
}

// inflaters are used again: one takes 40 KB, and most objects are small.
var inflaters sync.Pool

// inflate calls read with a reader of what is compressed, and returns its error.
func inflate(in io.Reader, read func(io.Reader) error) error {
	from, ok := inflaters.Get().(io.Reader)
	var err error
	if ok {
		err = from.(zlib.Resetter).Reset(in, nil)
	} else {
		from, err = zlib.NewReader(in)
	}
	if err != nil {
		return err
	}
	defer inflaters.Put(from)
	return read(from)
}
