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
