"""Modules with the names of other libraries, answered by proofmill."""
