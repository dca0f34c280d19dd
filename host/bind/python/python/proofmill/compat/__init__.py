"""Modules with the interfaces of other libraries."""
