"""The servers that the tests talk to. Each module starts one: see `with-peers` for the list."""
