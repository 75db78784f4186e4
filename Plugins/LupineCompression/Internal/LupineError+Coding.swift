import LupineCore

extension LupineError {
  /// The error for invalid coded data; `text` is the C library's message.
  static func undecodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.contentDecodingFailed, "The response's \(coding) data cannot be decoded: \(text).")
  }

  /// The error for bytes after the end of the coded data.
  static func trailingData(_ coding: String) -> LupineError {
    undecodable(coding, "other bytes follow its end")
  }

  /// The error for coded data that ends too early.
  static func truncated(_ coding: String) -> LupineError {
    undecodable(coding, "it ends too early")
  }

  /// The error of a failed encoder; `text` is the C library's message.
  static func unencodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.bodyFailed, "The body cannot be coded with \(coding): \(text).")
  }

  /// The error for a C library that has no memory for its state, or has an incompatible version.
  static func unavailable(_ coding: String) -> LupineError {
    LupineError(.other, "The \(coding) library could not be set up; memory may have run out.")
  }
}
