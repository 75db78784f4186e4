public import FoundationEssentials
public import HTTPTypes

/// What a scheme must know to answer a challenge besides the challenge and the credential.
public struct AuthenticationContext: Sendable {
  /// The request that was challenged, or is about to be sent.
  public let request: OutgoingRequest
  /// Who asks.
  public let recipient: Recipient
  /// The session's source of randomness: 64 random bits at each call.
  public let random: @Sendable () -> UInt64
  /// The session's date.
  public let now: @Sendable () -> Date
  /// Tells the session's monitors of something risky.
  public let warn: @Sendable (String) -> Void

  /// Describes the place of an answer; a session does this, and a test of a scheme.
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

  /// Whose credential is asked for: the origin of the request, or of the proxy.
  public var origin: HTTPURL.Origin {
    switch recipient {
    case .origin: request.url.origin
    case .proxy(let origin): origin
    }
  }

  /// The target as it stands in the request line: a path and a query for a server, the whole URL for a proxy, and an
  /// authority with CONNECT (RFC 9112 section 3.2).
  public var requestTarget: String {
    let url = request.url
    if request.method == .connect {
      return url.hostKind == .ipv6 ? "[\(url.host)]:\(url.effectivePort)" : "\(url.host):\(url.effectivePort)"
    }
    return recipient == .origin ? url.requestTarget : url.absoluteTarget
  }
}

extension AuthenticationContext {
  /// Who asks for a credential.
  public enum Recipient: Sendable, Hashable {
    /// The server that the request goes to, with 401.
    case origin
    /// A proxy at this place, with 407.
    case proxy(HTTPURL.Origin)
  }
}

extension AuthenticationContext.Recipient {
  /// The status of a challenge.
  public var challengeStatus: Int { self == .origin ? 401 : 407 }

  /// The field of an answer.
  public var answerField: HTTPField.Name { self == .origin ? .authorization : .proxyAuthorization }

  /// The field of what is said after an answer was accepted (RFC 9110 section 11.6.3).
  public var informationField: HTTPField.Name { self == .origin ? .authenticationInfo : .proxyAuthenticationInfo }
}
