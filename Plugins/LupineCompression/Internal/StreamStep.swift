/// What one call of a C library did.
struct StreamStep {
  /// How many bytes of the input it took.
  var consumed = 0
  /// How many bytes of output it wrote.
  var produced = 0
  /// Whether the coded data is complete with what was taken so far.
  var isComplete = false
}
