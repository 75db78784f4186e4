import HTTPTypes
import LupineCore

/// The authentication schemes of a session; selects those that can answer a challenge.
struct AuthenticationSchemes: Sendable {
  /// A challenge and the scheme that can answer it.
  struct Offer: Sendable {
    let challenge: AuthenticationChallenge
    let scheme: any AuthenticationScheme
  }

  private let schemes: [any AuthenticationScheme]

  init(_ schemes: [any AuthenticationScheme]) {
    let isAlone = schemes.allSatisfy { $0.name.lowercased() == "basic" }
    self.schemes = [BasicScheme(authorizesProxiesPreemptively: isAlone)] + schemes
  }

  /// The challenges that a scheme of the session can answer, the strongest first.
  func offers(_ head: HTTPResponse) -> [Offer] {
    let known = Self.challenges(head).compactMap { challenge in
      schemes.last { $0.name.lowercased() == challenge.scheme.lowercased() }
        .map { Offer(challenge: challenge, scheme: $0) }
    }
    return known.sorted { $0.scheme.strength(of: $0.challenge) > $1.scheme.strength(of: $1.challenge) }
  }

  /// The preemptive value of the first scheme that has one for the request.
  func authorizePreemptively(
    with credential: Credential, in context: AuthenticationContext
  ) async throws -> (scheme: any AuthenticationScheme, value: String)? {
    for scheme in schemes.reversed() {
      if let value = try await scheme.authorizePreemptively(with: credential, in: context) { return (scheme, value) }
    }
    return nil
  }

  /// A hint about the scheme that could answer the challenge, if no scheme of the session can.
  func remedy(for head: HTTPResponse) -> String? {
    let known = Set(schemes.map { $0.name.lowercased() })
    let asked = Set(Self.challenges(head).map { $0.scheme.lowercased() })
    guard asked.isDisjoint(with: known) else { return nil }
    let provesConnections = !asked.isDisjoint(with: ["ntlm", "negotiate"])
    if head.status.code == 407, provesConnections, !asked.contains("digest") {
      return "for NTLM or Negotiate, name a connection credential with the proxy"
    }
    return provesConnections || asked.contains("digest") ? "LupineAuthentication has one" : nil
  }

  private static func challenges(_ head: HTTPResponse) -> [AuthenticationChallenge] {
    let name: HTTPField.Name = head.status.code == 407 ? .proxyAuthenticate : .wwwAuthenticate
    return AuthenticationChallenge.parse(head.headerFields[values: name])
  }
}
