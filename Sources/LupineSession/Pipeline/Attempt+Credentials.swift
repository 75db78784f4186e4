import HTTPTypes
import LupineCore
import Synchronization

/// The credentials of an exchange, and their update after its response.
extension Attempt {
  func authenticationContext(_ challenger: Challenger) -> AuthenticationContext {
    AuthenticationContext(
      request: challenger.request, recipient: challenger.recipient, random: configuration.random,
      now: configuration.now,
      warn: { warn($0) })
  }

  /// Reads or changes the authentication state of a server or proxy.
  mutating func authentication<Value: Sendable>(
    _ recipient: AuthenticationContext.Recipient, _ change: (inout AuthenticationState) -> Value
  ) -> Value {
    change(&authentications[recipient, default: AuthenticationState(recipient)])
  }

  /// The connection key of a request, with its proxy, and with the connection credential if its scope allows the URL.
  mutating func connectionKey(for request: OutgoingRequest) -> ConnectionKey {
    let scope = configuration.connectionCredential?.scope
    let isAuthenticated =
      (try? scope?.allows(request.url, baseURL: configuration.baseURL)) == true
      && authentication(.origin) { $0.admits(request.url) }
    return session.connectionKeys.key(for: request.url, isAuthenticated: isAuthenticated)
  }

  /// Whether there is a credential or a provider for a server's challenge.
  var hasCredential: Bool {
    session.hasCredentialProvider
      || execution.state.withLock { $0.settings.credential != nil || $0.settings.credentialProvider != nil }
  }

  /// The request with the answer to its challenge, or with a scheme's preemptive value.
  mutating func authorized(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    guard let value = try await value(for: server(of: request)) else { return request }
    var request = request
    request.headers[.authorization] = value
    return request
  }

  /// The value of `Proxy-Authorization`: the answer to the proxy's challenge, or a preemptive value.
  mutating func proxyAuthorization(for request: OutgoingRequest) async throws(LupineError) -> String? {
    guard let proxy = proxy(of: request), proxy.hasCredential else { return nil }
    return try await value(for: proxy)
  }

  /// Removes `Proxy-Authorization` if no proxy reads the request's fields, because the server would receive it.
  ///
  /// - Parameter proxyAuthorization: the value that replaces it for the proxy.
  func dropForeignCredentials(of request: inout OutgoingRequest, _ proxyAuthorization: String?) {
    guard request.has(.proxyAuthorization) else { return }
    let isForwarded = session.passage(to: request.url)?.isForwarded == true
    if isForwarded, proxyAuthorization == nil { return }
    request.headers[.proxyAuthorization] = nil
    if !isForwarded {
      warn(
        "Proxy-Authorization was left out, since no proxy would read it; name the credential with the proxy instead.")
    }
  }

  private mutating func value(for challenger: Challenger) async throws(LupineError) -> String? {
    let recipient = challenger.recipient
    let (isAdmitted, value, answer) = authentication(recipient) { $0.beginExchange(challenger.request.url) }
    guard isAdmitted else { return nil }
    if let value, let answer {
      return sent(value, of: answer.offer.scheme, answer.credential, to: recipient)
    }
    guard let credential = answer?.credential ?? challenger.own,
      answer != nil || challenger.request.headers[recipient.answerField] == nil
    else { return nil }
    let context = authenticationContext(challenger)
    let schemes = configuration.schemes
    let found = try await asking { () -> (scheme: any AuthenticationScheme, value: String)? in
      if let found = try await schemes.authorizePreemptively(with: credential, in: context) { return found }
      guard let offer = answer?.offer else { return nil }
      return try await offer.scheme.answer(offer.challenge, with: credential, in: context).map {
        (scheme: offer.scheme, value: $0)
      }
    }
    return found.map { sent($0.value, of: $0.scheme, credential, to: recipient, isPreemptive: answer == nil) }
  }

  /// Records the value that the current exchange sends; returns it.
  private mutating func sent(
    _ value: String, of scheme: any AuthenticationScheme, _ credential: Credential,
    to recipient: AuthenticationContext.Recipient, isPreemptive: Bool = false
  ) -> String {
    authentication(recipient) {
      $0.setSentValue(.init(scheme: scheme, credential: credential, value: value, isPreemptive: isPreemptive))
    }
    return value
  }

  /// Reports to the schemes how the server and the proxy responded to their answers.
  func notifySchemes(of response: TransportResponse, to request: OutgoingRequest) throws(LupineError) {
    guard !hasNoAuthentication else { return }
    if response.source == .origin { try notify(response.head, server(of: request)) }
    guard let passage = session.passage(to: request.url), let proxy = proxy(of: request) else { return }
    // A response through a tunnel comes from the server; for a reused tunnel there is no response of the proxy.
    let isFromProxy = passage.isForwarded || response.source == .proxy
    if let head = isFromProxy ? response.head : execution.state.withLock({ $0.history.tunnel }) {
      try notify(head, proxy)
    }
  }

  private func notify(_ head: HTTPResponse, _ challenger: Challenger) throws(LupineError) {
    guard let sent = authentications[challenger.recipient]?.sentValue else { return }
    var request = challenger.request
    request.headers[challenger.recipient.answerField] = sent.value
    let context = authenticationContext(
      Challenger(recipient: challenger.recipient, request: request, own: challenger.own, provider: nil))
    do {
      try sent.scheme.receive(head, with: sent.credential, in: context)
    } catch {
      throw Self.wrapped(error)
    }
  }

  /// Runs asynchronous code of a scheme or of the program.
  func asking<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws(LupineError) -> Value {
    do { return try await execution.interruptible(work) } catch { throw Self.wrapped(error) }
  }

  private static func wrapped(_ error: any Error) -> LupineError {
    error as? LupineError
      ?? LupineError(.other, "An authentication scheme or credential closure threw: \(error).", underlying: error)
  }
}

/// A server or a proxy that challenges a request, with the credentials that it may receive.
struct Challenger: Sendable {
  let recipient: AuthenticationContext.Recipient
  /// The request as the challenger receives it.
  let request: OutgoingRequest
  /// The credential for this challenger.
  let own: Credential?
  /// The closure that returns another credential.
  let provider: CredentialProvider?

  var hasCredential: Bool { own != nil || provider != nil }
}

extension Attempt {
  /// The origin server of a request.
  func server(of request: OutgoingRequest) -> Challenger {
    let (own, provider) = execution.state.withLock { ($0.settings.credential, $0.settings.credentialProvider) }
    return Challenger(
      recipient: .origin, request: request, own: own, provider: provider ?? configuration.credentialProvider)
  }

  /// The proxy of a request; uses the credential of the `Proxy` value and none of a server's.
  func proxy(of request: OutgoingRequest) -> Challenger? {
    session.passage(to: request.url).map { passage in
      Challenger(
        recipient: passage.recipient, request: passage.request(for: request), own: passage.proxy.credential,
        provider: nil)
    }
  }

  /// The sender of a challenge with this status and source.
  func challenger(
    of status: Int, from source: TransportResponse.Source, to request: OutgoingRequest
  ) -> Challenger? {
    switch (status, source) {
    case (401, .origin): server(of: request)
    case (407, .proxy): proxy(of: request)
    default: nil
    }
  }
}

extension Session {
  /// The route of a request through a proxy; `nil` if no proxy receives any part of the request.
  func passage(to url: HTTPURL) -> ProxyPassage? {
    configuration.proxies.isEmpty ? nil : ProxyPassage(configuration.proxies.proxy(for: url), to: url)
  }
}

extension Session {
  /// The trust evaluator of the proxy for this URL, if it is an HTTPS proxy.
  func proxyEvaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard !configuration.proxies.isEmpty, let trustPolicy = configuration.trustPolicy,
      let proxy = configuration.proxies.proxy(for: url), proxy.kind == .https
    else { return nil }
    let origin = HTTPURL.Origin(scheme: .https, host: proxy.host, port: proxy.port)
    return (try? HTTPURL("\(origin)/")).flatMap(trustPolicy.evaluator)
  }
}
