"""Why there is no answer. An invalid proof, signature or header is an answer, never an error."""


class Error(Exception):
    """Anything that keeps proofmill from answering."""


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
    """A file cannot be read, or is not what it should be; the text says where."""


class DoesNotVerifyError(Error):
    """The proof that was made does not verify: the witness does not satisfy the circuit, or the key is damaged."""
