/// One incremental transformation of a body's bytes, such as undoing a content coding.
///
/// It holds the state of one body and serves from one place at a time: whoever owns it never calls it concurrently.
/// It must not gather the body: its memory stays the same whatever the body's size.
public protocol BodyTransformer: AnyObject, Sendable {
  /// Receives each produced piece, which is borrowed for the length of the call.
  typealias Output = (UnsafeRawBufferPointer) throws(LupineError) -> Void

  /// Takes bytes in and hands over what they yield, piece by piece.
  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError)

  /// Hears that no more bytes come, and hands over the rest.
  ///
  /// - Throws: `LupineError` of kind `contentDecodingFailed` when the coded data ends too early.
  func finish(into output: Output) throws(LupineError)
}
