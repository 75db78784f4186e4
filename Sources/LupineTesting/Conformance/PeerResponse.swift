/// A response that a server on loopback and a mock can both give.
public struct PeerResponse: Sendable {
  /// How the body's end is told.
  public enum Framing: Sendable, Hashable {
    /// By the length of all that the steps yield, or by this one.
    case length(Int? = nil)
    /// By chunks.
    case chunked
    /// By the end of the connection.
    case untilClose
    /// The status or the method has no body, and the fields are all there is.
    case none
  }

  /// One part of a body, or of what comes before the head.
  public enum Step: Sendable {
    /// Content.
    case bytes([UInt8])
    /// The same content again and again.
    case repeated([UInt8], count: Int)
    /// Goes on when the gate is open.
    case wait(Gate)
    /// Opens a gate.
    case signal(Gate)
  }

  /// What happens before the head: waits and signals.
  public var before: [Step] = []
  /// Interim responses: their status and fields.
  public var informational: [(status: Int, fields: RawFields)] = []
  /// The status.
  public var status = 200
  /// The reason phrase; `nil` stands for the usual one.
  public var reason: String?
  /// The fields, without those that frame the body.
  public var fields: RawFields = [:]
  /// How the body's end is told.
  public var framing = Framing.length()
  /// The body.
  public var body: [Step] = []
  /// The trailers of a chunked body.
  public var trailers: RawFields = [:]
  /// How it ends.
  public var ending = PeerEnding.complete

  /// A response of status 200 without content.
  public init() {}

  /// The content's length as far as the steps yield it.
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
