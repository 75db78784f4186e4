public import HTTPTypes
public import LupineFoundation

/// The data that a scheme needs to answer a challenge, besides the challenge and the credential.
///
/// A scheme may call the closures from any thread. Those that a test supplies may therefore be called concurrently.
public struct AuthenticationContext: Sendable {
  /// The request that received the challenge, or that is about to be sent.
  public let request: OutgoingRequest
  /// The sender of the challenge.
  public let recipient: Recipient
  /// The session's random source: 64 random bits for each call.
  ///
  /// May be called from any thread.
  public let random: @Sendable () -> UInt64
  /// The session's date.
  ///
  /// May be called from any thread.
  public let now: @Sendable () -> Date
  /// Sends a warning about a risk to the session's monitors.
  ///
  /// May be called from any thread.
  public let warn: @Sendable (String) -> Void

  /// Describes the context of an answer.
  ///
  /// A session or a test of a scheme creates it.
  public init(
    request: OutgoingRequest, recipient: Recipient = .origin,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    now: @escaping @Sendable () -> Date = { Date() }, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.request = request
    self.recipient = recipient
    self.random = random
    self.now = now
    self.warn = warn
  }

  /// The origin that receives the credential: that of the request, or that of the proxy.
  public var origin: HTTPURL.Origin {
    switch recipient {
    case .origin: request.url.origin
    case .proxy(let origin): origin
    }
  }

  /// The target of the request line (RFC 9112 section 3.2).
  ///
  /// It is a path and a query for a server, the whole URL for a proxy, and an authority for CONNECT.
  public var requestTarget: String {
    let url = request.url
    if request.method == .connect {
      return url.hostKind == .ipv6
        ? "[\(url.hostWithoutZone)]:\(url.effectivePort)" : "\(url.host):\(url.effectivePort)"
    }
    return recipient == .origin ? url.requestTarget : url.absoluteTarget
  }
}

extension AuthenticationContext {
  /// The sender of a challenge.
  public enum Recipient: Sendable, Hashable {
    /// The server of the request, with status 401.
    case origin
    /// A proxy at this origin, with status 407.
    case proxy(HTTPURL.Origin)
  }
}

extension AuthenticationContext.Recipient {
  /// The status code of a challenge.
  public var challengeStatus: Int { self == .origin ? 401 : 407 }

  /// The field name of an answer.
  public var answerField: HTTPField.Name { self == .origin ? .authorization : .proxyAuthorization }

  /// The field name of the information after an accepted answer (RFC 9110 section 11.6.3).
  public var informationField: HTTPField.Name { self == .origin ? .authenticationInfo : .proxyAuthenticationInfo }
}
