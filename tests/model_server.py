"""A loopback model server for tests."""
