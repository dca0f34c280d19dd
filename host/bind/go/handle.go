package proofmill

import (
	"runtime"
	"sync"
	"unsafe"
)

// handle owns an object of the library. It frees the object when it is closed and no call uses the object any more.
type handle struct {
	name   string // of the argument, in errors
	free   func(unsafe.Pointer)
	lock   sync.Mutex
	object unsafe.Pointer // nil when it is freed
	closed bool
	calls  int // that use the object
}

// own returns the handle of a new object. The garbage collector closes a handle that is not closed before.
func own(name string, object unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	h := &handle{name: name, free: free, object: object}
	runtime.SetFinalizer(h, (*handle).close)
	return h
}

// use calls the library with the object, which lives until the call ends.
func (h *handle) use(body func(unsafe.Pointer) status) error {
	h.lock.Lock()
	if h.closed {
		h.lock.Unlock()
		return &Error{Kind: ErrClosed, Message: h.name + ": is closed"}
	}
	h.calls++
	h.lock.Unlock()
	defer h.release()
	return call(func() status { return body(h.object) })
}

// release ends a call.
func (h *handle) release() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.calls--
	h.freeUnused()
}

// close lets no further call begin. It does not wait for those under way, the last of which frees the object.
func (h *handle) close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.closed = true
	h.freeUnused()
}

func (h *handle) freeUnused() {
	if h.closed && h.calls == 0 && h.object != nil {
		h.free(h.object)
		h.object = nil
		runtime.SetFinalizer(h, nil)
	}
}

// unopened returns the error of a value that no function of this package returned.
func unopened(name string) error {
	return &Error{Kind: ErrClosed, Message: name + ": is not open"}
}
