public import LupineCore

extension LupineError.Kind {
  /// The server's limits refuse the size of the upload, or leave no size in which it can be sent.
  public static let uploadSizeRefused = LupineError.Kind.plugin("uploadSizeRefused")
}

extension LupineError {
  static func uploadSizeRefused(_ message: String) -> LupineError { LupineError(.uploadSizeRefused, message) }

  /// The error of an upload that cannot go on.
  static func uploadEnded(_ message: String) -> LupineError { LupineError(.resumeFailed, message) }
}
