public import LupineCore

extension LupineError.Kind {
  /// A cassette, or a file beside it, is damaged or was written by a newer version of the library.
  ///
  /// The message has the path and the line.
  public static let invalidCassette = LupineError.Kind.plugin("invalidCassette")
}

extension LupineError {
  /// Creates an error for a line of a cassette.
  ///
  /// - Parameter reason: the problem, as a sentence without its end.
  static func invalidCassette(_ path: String, line: Int, _ reason: String) -> LupineError {
    LupineError(.invalidCassette, "The cassette \(path) is damaged at line \(line): \(reason).")
  }

  /// Creates an error for a cassette of a newer format.
  static func newerCassette(_ path: String, _ version: Int64) -> LupineError {
    LupineError(
      .invalidCassette,
      "The cassette \(path) was written by a newer version of Lupine (format \(version); this one reads "
        + "\(Cassette.version)).")
  }
}
