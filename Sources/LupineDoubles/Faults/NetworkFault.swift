import LupineSupport

/// A fault between a client and a server.
///
/// The mock, simulations, recordings and the scripted server of `LupineTesting` use the same faults, so a test reads the
/// same with each of them. A fault that occurs at an offset beyond the end of the body occurs at its end. A response that can
/// have no body, such as one to HEAD or with status 204 or 304, is not affected by such a fault.
public enum NetworkFault: Sendable, Hashable {
  /// The host's name has no address.
  case hostNotFound
  /// No server listens at the port.
  case connectionRefused
  /// There is no route to the host.
  case networkUnreachable
  /// The TLS handshake fails.
  case tlsRefused
  /// The connection is never established: the connect timeout expires.
  case connectionStalled
  /// The connection is reset before the head arrives.
  case resetBeforeHead
  /// The connection is reset after this number of bytes of the request's body, or after all of a shorter one.
  case resetInRequest(afterBytes: Int)
  /// The head never arrives: the idle timeout expires, if the session has one.
  case stallBeforeHead
  /// The connection is reset after this number of body bytes, or at the end of a shorter body.
  case reset(afterBytes: Int)
  /// Nothing more arrives after this number of body bytes, or at the end of a shorter body.
  case stall(afterBytes: Int)
  /// The connection is closed properly after this number of body bytes, fewer than the stated length.
  case truncated(afterBytes: Int)
  /// The body arrives byte by byte with this interval, otherwise without a fault.
  case dribble(every: Duration)
  /// The body is chunked, and the size of a chunk is not a number.
  case malformedChunk
  /// The head has two different `Content-Length` fields.
  case doubledLength
  /// The head has a field, `X-Oversized`, whose value has this number of bytes, at most 64 MiB.
  case oversizedField(bytes: Int)
  /// A body in the content coding `deflate` that decodes to `decodedBytes` bytes, from 1 byte to 16 GiB, and is 158
  /// times smaller.
  case compressedBomb(decodedBytes: Int)
  /// The HTTP/2 server sends GOAWAY (RFC 9113 section 6.8) and does not process the request.
  ///
  /// The error reports this with `LupineError.isUnprocessed`.
  case goAway

  /// A reset right after the head.
  public static var resetAfterHead: NetworkFault { .reset(afterBytes: 0) }
}

extension NetworkFault {
  /// Whether the server certainly does not process the request.
  public var isBeforeProcessing: Bool { isBeforeConnection || self == .goAway }

  /// Whether the server never receives the request.
  public var isBeforeConnection: Bool {
    switch self {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .connectionStalled: true
    default: false
    }
  }
}

extension NetworkFault: CustomStringConvertible {
  /// The fault in Swift syntax.
  public var description: String {
    switch self {
    case .hostNotFound: ".hostNotFound"
    case .connectionRefused: ".connectionRefused"
    case .networkUnreachable: ".networkUnreachable"
    case .tlsRefused: ".tlsRefused"
    case .connectionStalled: ".connectionStalled"
    case .resetBeforeHead: ".resetBeforeHead"
    case .resetInRequest(let count): ".resetInRequest(afterBytes: \(count))"
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
