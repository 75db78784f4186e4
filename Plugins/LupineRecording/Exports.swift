// The kind of the error for a request that nothing matches is in LupineDoubles.
@_exported public import LupineDoubles
