/// A content coding (RFC 9110 section 8.4.1) that a session can decode and encode.
public protocol ContentCoding: Sendable {
  /// The registered name, in lower case, such as `gzip`.
  var name: String { get }
  /// Other names for the same coding, such as `x-gzip`.
  var aliases: [String] { get }
  /// Makes the transformer that decodes one body.
  func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer
  /// Makes the transformer that encodes one body.
  func makeEncoder() throws(LupineError) -> any BodyTransformer
}

/// The limits of a decoder's output.
public struct DecodingLimits: Sendable, Hashable {
  /// The maximum number of decoded bytes in total.
  public var maximumSize: Int64
  /// The maximum number of decoded bytes for each coded byte.
  ///
  /// It applies after the first decoded MiB.
  public var maximumRatio: Double
  /// The maximum number of bytes in one piece of output.
  ///
  /// Default: 64 KiB.
  public var chunkSize: Int

  /// Sets the limits.
  public init(maximumSize: Int64, maximumRatio: Double, chunkSize: Int = 64 << 10) {
    self.maximumSize = maximumSize
    self.maximumRatio = maximumRatio
    self.chunkSize = chunkSize
  }
}

/// An incremental transformation of a body's bytes, such as the decoding of a content coding.
///
/// A transformer holds the state of one body. Its calls do not overlap. It must not collect the body: its memory use
/// does not depend on the body's size.
public protocol BodyTransformer: AnyObject, Sendable {
  /// Receives each produced piece.
  ///
  /// The pointer is valid only during the call.
  typealias Output = (UnsafeRawBufferPointer) throws(LupineError) -> Void

  /// Transforms the input bytes and passes the output on, piece by piece.
  func transform(_ input: UnsafeRawBufferPointer, into output: Output) throws(LupineError)

  /// Ends the input and passes the rest of the output on.
  ///
  /// - Throws: `LupineError` of kind `contentDecodingFailed` if the coded data ends too early.
  func finish(into output: Output) throws(LupineError)
}
