package gnark

import (
	"encoding/binary"
	"math/big"
	"runtime"
	"slices"
	"sync"
)

// element is a pointer to an element of Fr, of four words.
type element[E any] interface {
	*E
	Bits() [4]uint64
	SetBytes([]byte) *E
	BigInt(*big.Int) *big.Int
	Marshal() []byte
	SetOne() *E
	SetRandom() (*E, error)
	Mul(x, y *E) *E
	Sub(x, y *E) *E
	Neg(x *E) *E
	Inverse(x *E) *E
	Exp(x E, k *big.Int) *E
}

// encode returns the elements of these numbers, or all, least significant byte first, in one allocation. The caller overwrites it.
func encode[E any, P element[E]](elements []E, numbers []uint32) []byte {
	count := len(elements)
	if numbers != nil {
		count = len(numbers)
	}
	bytes := make([]byte, 32*count)
	encodeTo[E, P](bytes, elements, numbers)
	return bytes
}

// encodeTo writes what encode returns to the start of a list.
func encodeTo[E any, P element[E]](bytes []byte, elements []E, numbers []uint32) {
	if numbers == nil {
		parallel(len(elements), func(i int) { put[E, P](bytes[32*i:], &elements[i]) })
	} else {
		parallel(len(numbers), func(i int) { put[E, P](bytes[32*i:], &elements[numbers[i]]) })
	}
}

// put writes the 32 bytes of an element, least significant byte first.
func put[E any, P element[E]](to []byte, element *E) {
	words := P(element).Bits()
	for i, word := range words {
		binary.LittleEndian.PutUint64(to[8*i:], word)
	}
}

// inverseOfVanishing returns 1 / (g^n - 1).
func inverseOfVanishing[E any, P element[E]](g E, n int) []byte {
	var x, one E
	P(&one).SetOne()
	P(&x).Exp(g, big.NewInt(int64(n)))
	P(&x).Inverse(P(&x).Sub(&x, &one))
	return encode[E, P]([]E{x}, nil)
}

// encoded is a pointer to a point.
type encoded[T any] interface {
	*T
	Marshal() []byte
	Unmarshal([]byte) error
	IsInfinity() bool
}

// point returns x and y, least significant byte first, in G2 the coefficient of 1 first; zeros for the identity.
func point[T any, P encoded[T]](p P) []byte {
	bytes := p.Marshal()
	if p.IsInfinity() {
		return make([]byte, len(bytes))
	}
	slices.Reverse(bytes[:len(bytes)/2])
	slices.Reverse(bytes[len(bytes)/2:])
	return bytes
}

func points[T any, P encoded[T]](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	each := len(point[T, P](&list[0]))
	bytes := make([]byte, each*len(list))
	parallel(len(list), func(i int) { copy(bytes[each*i:], point[T, P](&list[i])) })
	return bytes
}

// read sets a point of a proof. It is the identity by chance, or if a commitment covers no private wire.
func read[T any, P encoded[T]](p P, bytes []byte) error {
	if !slices.ContainsFunc(bytes, func(b byte) bool { return b != 0 }) {
		*p = *new(T)
		return nil
	}
	bytes = slices.Clone(bytes)
	slices.Reverse(bytes[:len(bytes)/2])
	slices.Reverse(bytes[len(bytes)/2:])
	return p.Unmarshal(bytes)
}

// parallel calls a function for each number below count, from as many goroutines as there are processors.
func parallel(count int, each func(i int)) {
	threads := runtime.GOMAXPROCS(0)
	var running sync.WaitGroup
	for thread := range threads {
		from, to := count*thread/threads, count*(thread+1)/threads
		running.Go(func() {
			for i := from; i < to; i++ {
				each(i)
			}
		})
	}
	running.Wait()
}
