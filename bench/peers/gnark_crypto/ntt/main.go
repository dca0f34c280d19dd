// gnark-crypto's transforms as a program for the bench: it reads a line of work and writes its seconds. The fields of Work are
// documented in ../../works/src/ntt.rs.
package main

import (
	"runtime"
	"sync"

	fr381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	fft381 "github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"
	fr254 "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	fft254 "github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"

	"proofmill/gnark-crypto-peer/lines"
)

type Work struct {
	Transform
	Threads int  `json:"threads"`
	Bytes   bool `json:"bytes"`
}

type Transform struct {
	Instance string `json:"instance"`
	LogSize  int    `json:"log_size"`
}

// Writes the input, as elements or bytes, and returns the transform with this number of tasks.
type Task func(threads int, bytes bool) func()

func main() {
	tasks := lines.Kept(prepare)
	lines.Answer(func(work Work) func() error {
		task := tasks(work.Transform)
		if task == nil {
			return nil
		}
		runtime.GOMAXPROCS(work.Threads)
		transform := task(work.Threads, work.Bytes)
		return func() error { transform(); return nil }
	})
}

// Calls a function for parts of 0 to n, one thread per part.
func parts(threads, n int, function func(from, to int)) {
	var all sync.WaitGroup
	for i := 0; i < threads; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			function(i*n/threads, (i+1)*n/threads)
		}()
	}
	all.Wait()
}

// Draws elements and their bytes. The transform of elements leaves bit-reversed order, which is faster; that of bytes
// natural order.
func prepare(wanted Transform) Task {
	n := 1 << wanted.LogSize
	canonical, read, written := make([][32]byte, n), make([][32]byte, n), make([][32]byte, n)
	switch wanted.Instance {
	case "bn254_fr":
		domain := fft254.NewDomain(uint64(n))
		drawn, x := make(fr254.Vector, n), make(fr254.Vector, n)
		drawn.MustSetRandom()
		for i := range drawn {
			fr254.LittleEndian.PutElement(&canonical[i], drawn[i])
		}
		return func(threads int, bytes bool) func() {
			if !bytes {
				copy(x, drawn)
				return func() { domain.FFT(x, fft254.DIF, fft254.WithNbTasks(threads)) }
			}
			copy(read, canonical)
			return func() {
				parts(threads, n, func(from, to int) {
					for i := from; i < to; i++ {
						var err error
						if x[i], err = fr254.LittleEndian.Element(&read[i]); err != nil {
							lines.Fail(err)
						}
					}
				})
				domain.FFT(x, fft254.DIF, fft254.WithNbTasks(threads))
				fft254.BitReverse(x)
				parts(threads, n, func(from, to int) {
					for i := from; i < to; i++ {
						fr254.LittleEndian.PutElement(&written[i], x[i])
					}
				})
			}
		}
	case "bls12_381_fr":
		domain := fft381.NewDomain(uint64(n))
		drawn, x := make(fr381.Vector, n), make(fr381.Vector, n)
		drawn.MustSetRandom()
		for i := range drawn {
			fr381.LittleEndian.PutElement(&canonical[i], drawn[i])
		}
		return func(threads int, bytes bool) func() {
			if !bytes {
				copy(x, drawn)
				return func() { domain.FFT(x, fft381.DIF, fft381.WithNbTasks(threads)) }
			}
			copy(read, canonical)
			return func() {
				parts(threads, n, func(from, to int) {
					for i := from; i < to; i++ {
						var err error
						if x[i], err = fr381.LittleEndian.Element(&read[i]); err != nil {
							lines.Fail(err)
						}
					}
				})
				domain.FFT(x, fft381.DIF, fft381.WithNbTasks(threads))
				fft381.BitReverse(x)
				parts(threads, n, func(from, to int) {
					for i := from; i < to; i++ {
						fr381.LittleEndian.PutElement(&written[i], x[i])
					}
				})
			}
		}
	}
	return nil
}
