import LupineCore

extension LupineError {
  /// The coded data breaks its format; `text` is the C library's own.
  static func undecodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.contentDecodingFailed, "The response's \(coding) data cannot be decoded: \(text).")
  }

  /// Bytes stand behind the end of the coded data.
  static func trailingData(_ coding: String) -> LupineError {
    undecodable(coding, "other bytes follow its end")
  }

  /// The coded data stops before its end.
  static func truncated(_ coding: String) -> LupineError {
    undecodable(coding, "it ends too early")
  }

  /// The encoder failed; `text` is the C library's own.
  static func unencodable(_ coding: String, _ text: String) -> LupineError {
    LupineError(.bodyFailed, "The body cannot be coded with \(coding): \(text).")
  }

  /// A C library has no memory for its state, or is not the version it should be.
  static func unavailable(_ coding: String) -> LupineError {
    LupineError(.other, "The \(coding) library could not be set up; memory may have run out.")
  }
}
