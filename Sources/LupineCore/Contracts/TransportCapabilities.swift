/// The features that a transport supports.
///
/// `Session.Builder.build()` throws if a session needs a feature that its transport lacks.
public struct TransportCapabilities: OptionSet, Sendable, Hashable {
  /// One bit for each capability.
  public let rawValue: UInt64

  /// Creates a set from its bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Calls the session's `TrustEvaluator` for each server's certificates.
  public static let trustEvaluation = TransportCapabilities(rawValue: 1 << 0)
  /// Presents a client certificate.
  public static let clientCertificates = TransportCapabilities(rawValue: 1 << 1)
  /// Connects to Unix-domain sockets.
  public static let unixSockets = TransportCapabilities(rawValue: 1 << 2)
  /// Supports HTTP/2.
  public static let http2 = TransportCapabilities(rawValue: 1 << 3)
  /// Supports HTTP/3.
  public static let http3 = TransportCapabilities(rawValue: 1 << 4)
  /// Delivers trailers.
  public static let trailers = TransportCapabilities(rawValue: 1 << 5)
  /// Reports interim (1xx) responses.
  public static let informationalResponses = TransportCapabilities(rawValue: 1 << 6)
  /// Supports the schemes that authenticate a connection to a server or a proxy: NTLM and Negotiate.
  public static let connectionAuthentication = TransportCapabilities(rawValue: 1 << 7)
  /// Connects through proxies, and sends them the value of `TransferContext.proxyAuthorization`.
  public static let proxies = TransportCapabilities(rawValue: 1 << 8)
  /// Refuses responses whose framing is ambiguous (RFC 9112 section 6.3).
  public static let framingChecks = TransportCapabilities(rawValue: 1 << 9)
  /// Also refuses chunks that violate the grammar of RFC 9112 section 7.1, and enforces `Limits.chunkExtensions`.
  public static let strictFraming = TransportCapabilities(rawValue: 1 << 10)
  /// Makes real connections, so that connect timeouts and refused connections exist.
  ///
  /// Without it a session on the system's clock has no idle timeout unless one is set.
  public static let networking = TransportCapabilities(rawValue: 1 << 11)
  /// Sends a body of unknown length.
  public static let streamedUploads = TransportCapabilities(rawValue: 1 << 12)
  /// Connects to the addresses that a session sets for a host.
  public static let resolverOverrides = TransportCapabilities(rawValue: 1 << 13)
  /// Connects from the local address that a session sets.
  public static let localAddresses = TransportCapabilities(rawValue: 1 << 14)
  /// Calls the session's `NetworkPolicy` for each address before it connects.
  public static let networkPolicy = TransportCapabilities(rawValue: 1 << 15)
  /// Applies a session's `ConnectionOptions`.
  public static let connectionOptions = TransportCapabilities(rawValue: 1 << 16)
  /// Applies the minimum and maximum TLS versions of a session.
  public static let tlsVersions = TransportCapabilities(rawValue: 1 << 17)
  /// Treats an HTTP/2 body as complete only if END_STREAM or its `Content-Length` confirms it (RFC 9113 section 8.1).
  ///
  /// A transport without it should use HTTP/2 only if a request or its session selects it.
  public static let streamEndChecks = TransportCapabilities(rawValue: 1 << 18)
  /// Makes TLS connections.
  ///
  /// Without it, a session refuses https URLs for a transport with `networking`. A layer can still send one, so such a
  /// transport calls `RequestRules.refuseHTTPS(_:)`. A transport without `networking` makes no
  /// connections, and answers https URLs without it.
  public static let tls = TransportCapabilities(rawValue: 1 << 19)
  /// Keeps the connection of an exchange for later exchanges with the same origin and `ConnectionKey`.
  ///
  /// Without it, a transport with `networking` makes a connection for each exchange.
  public static let connectionReuse = TransportCapabilities(rawValue: 1 << 20)
  /// Accepts the responses that `TransferContext.tolerances` allows.
  ///
  /// A transport without `networking` reads no bytes: a session with tolerances does not need this capability from it.
  public static let responseTolerances = TransportCapabilities(rawValue: 1 << 21)

  /// Asks the session's own resolver (`TransferContext.resolver`) for the addresses of names.
  public static let hostResolvers = TransportCapabilities(rawValue: 1 << 22)

  /// Returns the capabilities among the given ones that this transport lacks.
  ///
  /// A transport without `networking` makes no connections: it needs neither `tls` nor `connectionReuse` nor
  /// `responseTolerances`.
  // For the session, whose builder refuses a transport without them.
  package func missing(of needed: TransportCapabilities) -> TransportCapabilities {
    let missing = needed.subtracting(self)
    return contains(.networking) ? missing : missing.subtracting([.tls, .connectionReuse, .responseTolerances])
  }
}

extension TransportCapabilities: CustomStringConvertible {
  private static let names: [(TransportCapabilities, String)] = [
    (.trustEvaluation, "trustEvaluation"), (.clientCertificates, "clientCertificates"), (.unixSockets, "unixSockets"),
    (.http2, "http2"), (.http3, "http3"), (.trailers, "trailers"), (.informationalResponses, "informationalResponses"),
    (.connectionAuthentication, "connectionAuthentication"), (.proxies, "proxies"), (.framingChecks, "framingChecks"),
    (.strictFraming, "strictFraming"), (.networking, "networking"), (.streamedUploads, "streamedUploads"),
    (.tlsVersions, "tlsVersions"), (.resolverOverrides, "resolverOverrides"), (.localAddresses, "localAddresses"),
    (.networkPolicy, "networkPolicy"), (.connectionOptions, "connectionOptions"), (.streamEndChecks, "streamEndChecks"),
    (.tls, "tls"), (.connectionReuse, "connectionReuse"),
    (.responseTolerances, "responseTolerances"), (.hostResolvers, "hostResolvers"),
  ]

  /// The names of the capabilities, joined by commas.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
