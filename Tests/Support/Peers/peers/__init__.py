"""The servers of the tests. `with-peers` lists the modules that start them."""
