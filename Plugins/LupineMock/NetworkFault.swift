/// What can go wrong between a client and a server: one vocabulary for the mock, for simulations and for the scripted
/// server of `LupineTesting`, so that a test says the same whatever it runs on.
///
/// Where a fault needs a body to happen in and the reply's is shorter, it happens at the body's end. A response that can
/// have none, which is one to HEAD or of status 204 or 304, is spared it.
public enum NetworkFault: Sendable, Hashable {
  /// The host's name has no address.
  case hostNotFound
  /// Nobody listens at the port.
  case connectionRefused
  /// There is no route to the host.
  case networkUnreachable
  /// The TLS handshake fails.
  case tlsRefused
  /// The connection is never made: the connect timeout passes.
  case connectionStalled
  /// The connection is reset before the head arrives.
  case resetBeforeHead
  /// The head never arrives: the idle timeout passes, where the session has one.
  case stallBeforeHead
  /// The connection is reset once so many bytes of the body have arrived, or at the end of a shorter one.
  case reset(afterBytes: Int)
  /// Nothing more arrives once so many bytes of the body have, or at the end of a shorter one.
  case stall(afterBytes: Int)
  /// The connection is closed in order, but once so many bytes of the body have arrived, fewer than its length says.
  case truncated(afterBytes: Int)
  /// The body arrives byte by byte, each so long after the one before; nothing else is wrong with it.
  case dribble(every: Duration)
  /// The body is chunked, and the size of a chunk is no number.
  case malformedChunk
  /// The head has two `Content-Length` fields that differ.
  case doubledLength
  /// The head has a field, `X-Oversized`, whose value has so many bytes.
  case oversizedField(bytes: Int)
  /// A body of 1/158 of so many bytes in the coding `deflate`, which decodes to so many.
  case compressedBomb(decodedBytes: Int)
  /// The HTTP/2 server says GOAWAY (RFC 9113 section 6.8) and does not process the request; the error says so
  /// (`LupineError.isUnprocessed`).
  case goAway

  /// A reset right after the head.
  public static var resetAfterHead: NetworkFault { .reset(afterBytes: 0) }
}

extension NetworkFault {
  /// Whether the server certainly does not act on the request.
  var isBeforeProcessing: Bool { isBeforeConnection || self == .goAway }

  /// Whether the server never hears of the request.
  public var isBeforeConnection: Bool {
    switch self {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .connectionStalled: true
    default: false
    }
  }
}

extension NetworkFault: CustomStringConvertible {
  /// The fault as it is written in a program.
  public var description: String {
    switch self {
    case .hostNotFound: ".hostNotFound"
    case .connectionRefused: ".connectionRefused"
    case .networkUnreachable: ".networkUnreachable"
    case .tlsRefused: ".tlsRefused"
    case .connectionStalled: ".connectionStalled"
    case .resetBeforeHead: ".resetBeforeHead"
    case .stallBeforeHead: ".stallBeforeHead"
    case .reset(let count): ".reset(afterBytes: \(count))"
    case .stall(let count): ".stall(afterBytes: \(count))"
    case .truncated(let count): ".truncated(afterBytes: \(count))"
    case .dribble(let interval): ".dribble(every: \(interval.literal))"
    case .malformedChunk: ".malformedChunk"
    case .doubledLength: ".doubledLength"
    case .oversizedField(let count): ".oversizedField(bytes: \(count))"
    case .compressedBomb(let count): ".compressedBomb(decodedBytes: \(count))"
    case .goAway: ".goAway"
    }
  }
}

extension Duration {
  /// The duration as it is written in a program, exact to the nanosecond.
  var literal: String {
    let nanoseconds = components.attoseconds / 1_000_000_000
    if nanoseconds == 0 { return ".seconds(\(components.seconds))" }
    let total = components.seconds * 1_000_000_000 + nanoseconds
    return total % 1_000_000 == 0 ? ".milliseconds(\(total / 1_000_000))" : ".nanoseconds(\(total))"
  }
}
