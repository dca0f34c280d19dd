package proofmill

// #include <proofmill.h>
import "C"

import (
	"errors"
	"fmt"
)

// Kinds of errors, for errors.Is.
var (
	// ErrArgument is the kind of an invalid argument, which the message names.
	ErrArgument = errors.New("proofmill: invalid argument")
	// ErrUnsupported is the kind of an operation, instance or size that the device does not support.
	ErrUnsupported = errors.New("proofmill: not supported by the device")
	// ErrOpen is the kind of a device that could not be opened.
	ErrOpen = errors.New("proofmill: device not opened")
	// ErrFailed is the kind of a request that the device failed; the device remains usable.
	ErrFailed = errors.New("proofmill: device failed")
	// ErrLost is the kind of a device that is lost: every later request to it fails, too.
	ErrLost = errors.New("proofmill: device lost")
	// ErrTimedOut is the kind of a device that did not respond in time.
	ErrTimedOut = errors.New("proofmill: device timed out")
	// ErrCancelled is the kind of an operation that was cancelled.
	ErrCancelled = errors.New("proofmill: cancelled")
	// ErrIO is the kind of a failure to read or write.
	ErrIO = errors.New("proofmill: input or output failed")
	// ErrFile is the kind of a malformed file.
	ErrFile = errors.New("proofmill: malformed file")
	// ErrDoesNotVerify is the kind of a new proof that does not verify: the witness does not satisfy the circuit, or the key is damaged.
	ErrDoesNotVerify = errors.New("proofmill: proof does not verify")
	// ErrBug is the kind of a bug in proofmill.
	ErrBug = errors.New("proofmill: bug")
	// ErrClosed is the kind of a call of a value that is closed, or was never opened.
	ErrClosed = errors.New("proofmill: closed")
)

// errShortBuffer is the kind of a buffer that is too small; no function of this package returns it.
var errShortBuffer = errors.New("proofmill: buffer too small")

// Error is a failed call.
type Error struct {
	// Kind is one of the variables Err….
	Kind error
	// Message describes the failure. It starts with the name of an invalid argument.
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

// kind returns the kind of a status of the library.
func kind(ended status) error {
	switch ended {
	case C.PROOFMILL_ERROR_ARGUMENT:
		return ErrArgument
	case C.PROOFMILL_ERROR_UNSUPPORTED:
		return ErrUnsupported
	case C.PROOFMILL_ERROR_OPEN:
		return ErrOpen
	case C.PROOFMILL_ERROR_FAILED:
		return ErrFailed
	case C.PROOFMILL_ERROR_LOST:
		return ErrLost
	case C.PROOFMILL_ERROR_TIMED_OUT:
		return ErrTimedOut
	case C.PROOFMILL_ERROR_CANCELLED:
		return ErrCancelled
	case C.PROOFMILL_ERROR_IO:
		return ErrIO
	case C.PROOFMILL_ERROR_FILE:
		return ErrFile
	case C.PROOFMILL_ERROR_DOES_NOT_VERIFY:
		return ErrDoesNotVerify
	case C.PROOFMILL_ERROR_SHORT_BUFFER:
		return errShortBuffer
	case C.PROOFMILL_ERROR_BUG:
		return ErrBug
	}
	return fmt.Errorf("proofmill: status %d", ended)
}

// invalid returns the error of an argument.
func invalid(argument, problem string) error {
	return &Error{Kind: ErrArgument, Message: argument + ": " + problem}
}
