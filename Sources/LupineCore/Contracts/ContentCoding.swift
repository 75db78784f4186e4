/// A content coding (RFC 9110 section 8.4.1) that a session can undo and apply.
public protocol ContentCoding: Sendable {
  /// The registered name, in lower case, such as `gzip`.
  var name: String { get }
  /// Other names that mean the same, such as `x-gzip`.
  var aliases: [String] { get }
  /// Makes what undoes the coding for one body.
  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer
  /// Makes what applies the coding to one body.
  func makeEncoder() throws(LupineError) -> any BodyTransformer
}

/// What a decoder may produce before it gives up.
public struct DecodingLimits: Sendable, Hashable {
  /// Decoded bytes in all.
  public var maximumSize: Int64
  /// Decoded bytes for each coded byte, looked at once a MiB has been decoded.
  public var maximumRatio: Double
  /// Bytes of one piece of output.
  ///
  /// Default: 64 KiB.
  public var chunkSize: Int

  /// Sets the caps.
  public init(maximumSize: Int64, maximumRatio: Double, chunkSize: Int = 64 << 10) {
    self.maximumSize = maximumSize
    self.maximumRatio = maximumRatio
    self.chunkSize = chunkSize
  }
}

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
