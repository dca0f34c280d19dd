"""Exceptions. An invalid proof, signature or header is a result, never an exception."""


class Error(Exception):
    """The base of proofmill's errors."""


class ArgumentError(Error, ValueError):
    """An argument is wrong; the text names it."""


class UnsupportedError(Error):
    """The device does not offer the operation, the instance or the size."""


class DeviceError(Error):
    """The device cannot be opened, failed, or died."""


class DeviceTimeoutError(DeviceError, TimeoutError):
    """The device did not answer in time."""


class CancelledError(Error):
    """The work was cancelled."""


class FileError(Error, OSError):
    """A file cannot be read or is malformed; the message contains the position."""


class DoesNotVerifyError(Error):
    """The new proof does not verify: the witness does not satisfy the circuit, or the key is damaged."""
