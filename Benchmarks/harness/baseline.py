"""What the guard compares with: ratios to the program in C, of November 2026."""

# Processor time of a request over HTTP/1.1 with 64 in flight.
W2 = 2.0
# Processor time of a request over the mock, as a part of one of W2 in C.
W8 = 0.33

# A gross regression is half the speed.
TOLERANCE = 2.0
