import HTTPTypes

/// The schemes of a session, and which of them answers a challenge.
struct AuthenticationSchemes: Sendable {
  private let schemes: [any AuthenticationScheme]

  init(_ schemes: [any AuthenticationScheme]) { self.schemes = [BasicScheme()] + schemes }

  /// The value of `Authorization` that answers the strongest challenge someone here can answer, or `nil`.
  func answer(
    _ head: HTTPResponse, with credential: Credential, for request: OutgoingRequest
  ) async throws -> String? {
    let offered = AuthenticationChallenge.parse(head.headerFields[values: .wwwAuthenticate])
    let pairs = offered.compactMap { challenge in
      schemes.last { $0.name.lowercased() == challenge.scheme.lowercased() }.map { (challenge: challenge, scheme: $0) }
    }
    for pair in pairs.sorted(by: { $0.scheme.strength > $1.scheme.strength }) {
      if let value = try await pair.scheme.answer(pair.challenge, with: credential, for: request) { return value }
    }
    return nil
  }

  /// Why nobody answers, where a module could: its name.
  func missingModule(for head: HTTPResponse) -> String? {
    let offered = AuthenticationChallenge.parse(head.headerFields[values: .wwwAuthenticate])
    let known = Set(schemes.map { $0.name.lowercased() })
    let unknown = offered.map { $0.scheme.lowercased() }.filter { !known.contains($0) }
    guard unknown.count == offered.count else { return nil }
    return unknown.contains { ["digest", "ntlm", "negotiate"].contains($0) } ? "LupineAuthentication" : nil
  }
}
