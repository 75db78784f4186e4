// The signatures of this module have faults and conditions of LupineDoubles.
@_exported public import LupineDoubles
