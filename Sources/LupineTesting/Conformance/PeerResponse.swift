/// A response that both a server on loopback and a mock can send.
public struct PeerResponse: Sendable {
  /// The framing of the body.
  public enum Framing: Sendable, Hashable {
    /// By `Content-Length`: the given value, or the length of the steps' content.
    case length(Int? = nil)
    /// By the chunked coding.
    case chunked
    /// By the end of the connection.
    case untilClose
    /// No framing, because the status or the method allows no body.
    case none
  }

  /// One step of a body, or one step before the head.
  public enum Step: Sendable {
    /// Content.
    case bytes([UInt8])
    /// The same content repeatedly.
    case repeated([UInt8], count: Int)
    /// Waits until the gate is open.
    case wait(Gate)
    /// Opens a gate.
    case signal(Gate)
  }

  /// The waits and signals before the head.
  public var before: [Step] = []
  /// The status codes and fields of interim responses.
  public var informational: [(status: Int, fields: RawFields)] = []
  /// The status code.
  public var status = 200
  /// The reason phrase; `nil` means the standard one.
  public var reason: String?
  /// The fields, without those that frame the body.
  public var fields: RawFields = [:]
  /// The framing of the body.
  public var framing = Framing.length()
  /// The steps of the body.
  public var body: [Step] = []
  /// The trailers of a chunked body.
  public var trailers: RawFields = [:]
  /// The way in which the response ends.
  public var ending = PeerEnding.complete

  /// Creates a response of status 200 without content.
  public init() {}

  /// The length of the steps' content in bytes.
  public var byteCount: Int {
    body.reduce(0) { sum, step in
      switch step {
      case .bytes(let bytes): sum + bytes.count
      case .repeated(let bytes, let count): sum + bytes.count * count
      case .wait, .signal: sum
      }
    }
  }
}
