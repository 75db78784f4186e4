"""The ratios to the program in C with which the guard compares, from November 2026."""

# Processor time of a request over HTTP/1.1 with 64 in flight.
W2 = 2.0
# Processor time of a request over the mock, as a ratio to a request of W2 in C.
W8 = 0.33

# A gross regression is half the speed.
TOLERANCE = 2.0
