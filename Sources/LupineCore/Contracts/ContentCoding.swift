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

/// Counts the input and output of a decoder and compares them with the limits.
public struct DecodingMeter: Sendable {
  /// The decoded size below which any ratio is allowed, because small bodies are no attack.
  private static let ratioGrace: Int64 = 1 << 20

  private let limits: DecodingLimits
  private var coded: Int64 = 0
  private var decoded: Int64 = 0

  /// Creates a meter with zero counts.
  public init(limits: DecodingLimits) { self.limits = limits }

  /// Adds the bytes of one step.
  ///
  /// - Parameter doing: the decoding as text for a message such as "The response's gzip data decodes to …".
  /// - Throws: `LupineError` of kind `limitExceeded` if the output of the step must not be delivered.
  public mutating func count(coded: Int, decoded: Int, doing: @autoclosure () -> String) throws(LupineError) {
    self.coded += Int64(coded)
    self.decoded += Int64(decoded)
    if self.decoded > limits.maximumSize {
      throw LupineError(
        .limitExceeded(.decodedBodySize),
        "The response's \(doing()) to more than \(limits.maximumSize) bytes (limit decodedBodySize).")
    }
    if self.decoded > Self.ratioGrace, Double(self.decoded) > limits.maximumRatio * Double(self.coded) {
      throw LupineError(
        .limitExceeded(.decodingRatio),
        "The response's \(doing()) to more than \(limits.maximumRatio) times its size (limit decodingRatio).")
    }
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

  /// Passes on the output for all bytes so far, so that a receiver can decode them before the next ones arrive.
  ///
  /// An encoder's output is longer with each call. The default implementation does nothing, which suits a transformer
  /// that holds no bytes back.
  func flush(into output: Output) throws(LupineError)

  /// Ends the input and passes the rest of the output on.
  ///
  /// - Throws: `LupineError` of kind `contentDecodingFailed` if the coded data ends too early.
  func finish(into output: Output) throws(LupineError)
}

extension BodyTransformer {
  /// Does nothing.
  public func flush(into output: Output) throws(LupineError) {}
}
