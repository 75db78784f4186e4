import LupineCore

/// What all encoders and containers of one run share.
final class FormEncodingState {
  let options: URLEncodedFormEncoder
  /// The first failure of a call that cannot throw; the run throws it at its end.
  private(set) var failure: LupineError?

  init(options: URLEncodedFormEncoder) { self.options = options }

  func fail(_ error: LupineError) {
    if failure == nil { failure = error }
  }
}
