import HTTPTypes
import Synchronization

extension ExchangeLoop {
  func authenticationContext(_ request: OutgoingRequest) -> AuthenticationContext {
    AuthenticationContext(request: request, random: session.configuration.random, now: session.configuration.now)
  }

  /// The identity with what proves the connection, where the session has such a credential for this place.
  func proving(_ identity: SecurityIdentity, to url: HTTPURL) -> SecurityIdentity {
    let configuration = session.configuration
    guard let given = configuration.connectionCredential,
      (try? given.scope.allows(url, baseURL: configuration.baseURL)) == true,
      state.withLock({ $0.course.admits(url) })
    else { return identity }
    var identity = identity
    identity.connectionCredential = given.credential
    return identity
  }

  private var ownCredential: Credential? { task.state.withLock { $0.settings.credential } }

  private var provider: CredentialProvider? {
    task.state.withLock { $0.settings.credentialProvider } ?? session.configuration.credentialProvider
  }

  /// The request with the answer that its challenge was given, or with what a scheme sends unasked.
  func authorized(_ request: OutgoingRequest) async throws(LupineError) -> OutgoingRequest {
    let own = ownCredential
    guard own != nil || provider != nil else { return request }
    let (isAdmitted, value, answer) = state.withLock { state in
      state.course.current = nil
      return (state.course.admits(request.url), state.course.takeValue(), state.course.answer)
    }
    guard isAdmitted else { return request }
    if let value, let answer { return carrying(value, of: answer.offer.scheme, answer.credential, request) }
    guard let credential = answer?.credential ?? own, answer != nil || request.headers[.authorization] == nil else {
      return request
    }
    let context = authenticationContext(request)
    let schemes = session.configuration.schemes
    let found = try await asking { () -> (scheme: any AuthenticationScheme, value: String)? in
      if let found = try await schemes.anticipate(with: credential, in: context) { return found }
      guard let offer = answer?.offer else { return nil }
      return try await offer.scheme.answer(offer.challenge, with: credential, in: context).map {
        (scheme: offer.scheme, value: $0)
      }
    }
    return found.map { carrying($0.value, of: $0.scheme, credential, request) } ?? request
  }

  private func carrying(
    _ value: String, of scheme: any AuthenticationScheme, _ credential: Credential, _ request: OutgoingRequest
  ) -> OutgoingRequest {
    state.withLock { $0.course.current = (scheme, credential) }
    var request = request
    request.headers[.authorization] = value
    return request
  }

  /// The request to send again where a challenge can be answered; each credential is given once, so that a wrong
  /// password ends with the 401.
  func answering(
    _ response: TransportResponse, to request: OutgoingRequest
  ) async throws(LupineError) -> OutgoingRequest? {
    guard response.head.status.code == 401, response.source == .origin else { return nil }
    do throws(Unanswered) {
      try await answer(response.head, to: request)
      task.emit(.challenged(isAnswered: true, reason: "status 401 and a credential"), attempt: number)
      return request
    } catch {
      switch error {
      case .reason(let reason):
        task.emit(.challenged(isAnswered: false, reason: reason), attempt: number)
        return nil
      case .failed(let error): throw error
      }
    }
  }

  /// Why a challenge is not answered.
  private enum Unanswered: Error {
    case reason(String)
    case failed(LupineError)
  }

  private func answer(_ head: HTTPResponse, to request: OutgoingRequest) async throws(Unanswered) {
    let (own, provider) = (ownCredential, provider)
    if own == nil && provider == nil { throw .reason("the request has no credential") }
    guard state.withLock({ $0.course.admits(request.url) }) else {
      throw .reason("a redirect led to another origin")
    }
    guard request.body.isReplayable else { throw .reason("the body can be sent only once") }
    let offers = session.configuration.schemes.offers(head)
    guard let first = offers.first else {
      let module = session.configuration.schemes.missingModule(for: head).map { "; \($0) brings one" } ?? ""
      throw .reason("no scheme fits the challenge\(module)")
    }
    if let renewal = state.withLock({ $0.course.renewal(offers) }) {
      return try await give(renewal.credential, to: [renewal.offer], request)
    }
    let realm = first.challenge.realm
    if let own, state.withLock({ $0.course.gives(own, realm: realm) }) {
      return try await give(own, to: offers, request)
    }
    guard let provider else { throw .reason("the credential was given already") }
    let credential = try await ask(provider, offers, request)
    guard state.withLock({ $0.course.gives(credential, realm: realm) }) else {
      throw .reason("the credential was given already")
    }
    try await give(credential, to: offers, request)
  }

  private func ask(
    _ provider: @escaping CredentialProvider, _ offers: [AuthenticationSchemes.Offer], _ request: OutgoingRequest
  ) async throws(Unanswered) -> Credential {
    let failures = state.withLock { state in
      state.course.asks()
      return state.course.giftCount
    }
    guard state.withLock({ $0.course.questions <= AuthenticationCourse.maximumQuestions }) else {
      throw .reason("the program was asked \(AuthenticationCourse.maximumQuestions) times already")
    }
    let question = CredentialRequest(
      url: request.url, challenges: offers.map(\.challenge), previousFailureCount: failures)
    do throws(LupineError) {
      if let credential = try await asking({ try await provider(question) }) { return credential }
    } catch {
      throw .failed(error)
    }
    throw .reason("the program gave no credential")
  }

  /// Answers the strongest challenge that the credential fits.
  private func give(
    _ credential: Credential, to offers: [AuthenticationSchemes.Offer], _ request: OutgoingRequest
  ) async throws(Unanswered) {
    let context = authenticationContext(request)
    for offer in offers {
      do throws(LupineError) {
        let value = try await asking { try await offer.scheme.answer(offer.challenge, with: credential, in: context) }
        guard let value else { continue }
        state.withLock { $0.course.answers(.init(offer: offer, credential: credential), value) }
        return
      } catch {
        throw .failed(error)
      }
    }
    throw .reason("no scheme fits the challenge")
  }

  /// Runs a scheme's or a program's own code.
  private func asking<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws(LupineError) -> Value {
    do {
      return try await task.interruptible(work)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.other, "An authentication scheme or credential closure threw: \(error).", underlying: error)
    }
  }
}
