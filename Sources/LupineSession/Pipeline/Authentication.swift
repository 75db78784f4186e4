import HTTPTypes
import LupineCore
import Synchronization

/// The authentication of one attempt to its servers and proxies.
///
/// The exchange loop asks it for the credentials of each exchange, and tells it each response. The pipeline's task owns
/// the value.
struct Authentication: Sendable {
  let execution: RequestExecution
  /// The number of the attempt, for events.
  let attempt: Int
  /// The state of each server and proxy.
  private var states: [AuthenticationContext.Recipient: AuthenticationState] = [:]

  init(_ execution: RequestExecution, attempt: Int) {
    self.execution = execution
    self.attempt = attempt
  }

  var session: Session { execution.session }
  var configuration: SessionConfiguration { execution.session.configuration }

  /// Whether no exchange has needed a state: nothing has asked for a credential, and no redirect was followed.
  var isUnused: Bool { states.isEmpty }

  /// Reads or changes the state of a server or proxy.
  mutating func state<Value: Sendable>(
    of recipient: AuthenticationContext.Recipient, _ change: (inout AuthenticationState) -> Value
  ) -> Value {
    change(&states[recipient, default: AuthenticationState(recipient)])
  }

  /// Whether the server of the URL may receive a credential: no redirect has led away from the attempt's origin.
  mutating func admits(_ url: HTTPURL) -> Bool { state(of: .origin) { $0.admits(url) } }

  /// Restricts the credentials after a redirect or a fresh URL.
  mutating func follow(from url: HTTPURL, to next: HTTPURL) {
    states[.origin, default: AuthenticationState(.origin)].followRedirect(from: url, to: next)
    for recipient in states.keys where recipient != .origin {
      states[recipient]?.followRedirect(from: url, to: next)
    }
  }

  /// Resets the change of origin when an interceptor sends the request again.
  mutating func returnToOrigin() { states[.origin]?.returnToOrigin() }

  func emit(_ kind: @autoclosure () -> SessionEvent.Kind) { execution.emit(kind(), attempt: attempt) }

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

  func context(_ challenger: Challenger) -> AuthenticationContext {
    challenger.context(in: configuration) { [execution, attempt] text in
      execution.emit(.warning(text), attempt: attempt)
    }
  }
}

/// The credentials of a request.
extension Authentication {
  /// Whether there is a credential or a provider for a server's challenge.
  var hasCredential: Bool {
    session.hasCredentialProvider
      || execution.state.withLock { $0.settings.credential != nil || $0.settings.credentialProvider != nil }
  }

  /// The request with the answer to its challenge, or with a scheme's preemptive value.
  mutating func authorized(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    guard let value = try await value(for: .server(of: request, in: execution)) else { return request }
    var request = request
    request.headers[.authorization] = value
    return request
  }

  /// The value of `Proxy-Authorization`: the answer to the proxy's challenge, or a preemptive value.
  mutating func proxyAuthorization(for request: OutgoingRequest) async throws(LupineError) -> String? {
    guard let proxy = Challenger.proxy(of: request, in: session), proxy.hasCredential else { return nil }
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
      emit(
        .warning(
          "Proxy-Authorization was left out, since no proxy would read it; name the credential with the proxy instead."
        ))
    }
  }

  private mutating func value(for challenger: Challenger) async throws(LupineError) -> String? {
    let recipient = challenger.recipient
    let (isAdmitted, value, answer) = state(of: recipient) { $0.beginExchange(challenger.request.url) }
    guard isAdmitted else { return nil }
    if let value, let answer {
      return sent(value, of: answer.offer.scheme, answer.credential, to: recipient)
    }
    guard let credential = answer?.credential ?? challenger.own,
      answer != nil || challenger.request.headers[recipient.answerField] == nil
    else { return nil }
    let context = context(challenger)
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
    state(of: recipient) {
      $0.setSentValue(.init(scheme: scheme, credential: credential, value: value, isPreemptive: isPreemptive))
    }
    return value
  }
}

/// The responses to credentials.
extension Authentication {
  /// Reports to the schemes how the server and the proxy responded to their answers.
  func receive(_ response: TransportResponse, to request: OutgoingRequest) throws(LupineError) {
    guard !isUnused else { return }
    if response.source == .origin { try notify(response.head, .server(of: request, in: execution)) }
    guard let passage = session.passage(to: request.url), let proxy = Challenger.proxy(of: request, in: session) else {
      return
    }
    // A response through a tunnel comes from the server; for a reused tunnel there is no response of the proxy.
    let isFromProxy = passage.isForwarded || response.source == .proxy
    if let head = isFromProxy ? response.head : execution.state.withLock({ $0.history.tunnel }) {
      try notify(head, proxy)
    }
  }

  private func notify(_ head: HTTPResponse, _ challenger: Challenger) throws(LupineError) {
    guard let sent = states[challenger.recipient]?.sentValue else { return }
    var request = challenger.request
    request.headers[challenger.recipient.answerField] = sent.value
    let context = context(
      Challenger(recipient: challenger.recipient, request: request, own: challenger.own, provider: nil))
    do {
      try sent.scheme.receive(head, with: sent.credential, in: context)
    } catch {
      throw Self.wrapped(error)
    }
  }

  /// Adds to the error of a refused response the scheme that would answer its challenge, or the reason why none did.
  func explained(_ error: LupineError, by received: ReceivedResponse) -> LupineError {
    guard received.statusCode == (received.source == .origin ? 401 : 407) else { return error }
    if let remedy = configuration.schemes.remedy(for: received.head) {
      return error.appending("No scheme of the session fits the challenge; \(remedy).")
    }
    let challenger = challenger(of: received.statusCode, from: received.source, to: received.request)
    guard let challenger, challenger.hasCredential, !challenger.request.body.isReplayable else { return error }
    return error.appending("The challenge was not answered: the request's body can be sent only once.")
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

  /// The context in which a scheme makes or checks the challenger's credentials.
  func context(in configuration: SessionConfiguration, warn: @escaping @Sendable (String) -> Void)
    -> AuthenticationContext
  {
    AuthenticationContext(
      request: request, recipient: recipient, random: configuration.random, now: configuration.now, warn: warn)
  }
}

extension Challenger {
  /// The origin server of a request.
  static func server(of request: OutgoingRequest, in execution: RequestExecution) -> Challenger {
    let (own, provider) = execution.state.withLock { ($0.settings.credential, $0.settings.credentialProvider) }
    return Challenger(
      recipient: .origin, request: request, own: own,
      provider: provider ?? execution.session.configuration.credentialProvider)
  }

  /// The proxy of a request, if it has one; it may receive the credential of the `Proxy` value, and none of a server's.
  static func proxy(of request: OutgoingRequest, in session: Session) -> Challenger? {
    session.passage(to: request.url).map { passage in
      Challenger(
        recipient: passage.recipient, request: passage.request(for: request), own: passage.proxy.credential,
        provider: nil)
    }
  }
}
