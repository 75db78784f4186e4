import LupineCore

/// Fails a body at its first byte, for a reason that was known at the head.
final class FailingTransformer: BodyTransformer {
  private let error: LupineError

  init(_ error: LupineError) { self.error = error }

  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError) { throw error }

  func finish(into output: Output) throws(LupineError) { throw error }
}
