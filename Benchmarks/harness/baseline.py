"""The usual ratios to the program in C, of November 2026, with which the guard compares."""

USUAL = {
    # Processor time of a request over HTTP/1.1 with 64 in flight.
    "W2, Lupine": 2.0,
    "W2, native": 1.2,
    # Processor time of a response of 1 GiB that is discarded.
    "W4, Lupine": 1.3,
    "W4, native": 1.3,
    # Processor time of a request over the mock, in the place of one of W2 in C.
    "W8": 0.33,
}

# The guard reports a regression to half the speed.
TOLERANCE = 2.0
