/// The result of one call of a C library.
struct StreamStep {
  /// The number of input bytes consumed.
  var consumed = 0
  /// The number of output bytes written.
  var produced = 0
  /// Whether the input consumed so far completes the coded data.
  var isComplete = false
}
