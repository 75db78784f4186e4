import HTTPTypes
import LupineCore
import Synchronization

/// Answers challenges of a server (401) and of a proxy (407).
extension Attempt {
  /// Whether a challenge is answered and the request is sent again.
  ///
  /// Each credential is used once, so that a wrong password ends with the 401 or the 407.
  mutating func answers(_ response: TransportResponse, to challenger: Challenger) async throws(LupineError) -> Bool {
    do throws(Unanswered) {
      try await answer(response, of: challenger)
      let reason =
        challenger.recipient == .origin ? "status 401 and a credential" : "the proxy's status 407 and a credential"
      emit(.challenged(isAnswered: true, reason: reason))
      return true
    } catch {
      switch error {
      case .reason(let reason):
        emit(.challenged(isAnswered: false, reason: reason))
        return false
      case .failed(let error): throw error
      }
    }
  }

  /// The reason why a challenge is not answered.
  private enum Unanswered: Error {
    case reason(String)
    case failed(LupineError)

    static let alreadySent = Unanswered.reason("the credential was already sent")
  }

  private mutating func answer(_ response: TransportResponse, of challenger: Challenger) async throws(Unanswered) {
    let recipient = challenger.recipient
    if !challenger.hasCredential {
      throw .reason("the \(recipient == .origin ? "request" : "proxy") has no credential")
    }
    guard authentication(recipient, { $0.admits(challenger.request.url) }) else {
      throw .reason("a redirect led to another origin")
    }
    guard challenger.request.body.isReplayable else { throw .reason("the body can be sent only once") }
    let head = response.head
    let offers = configuration.schemes.offers(head)
    guard let first = offers.first else {
      let remedy = configuration.schemes.remedy(for: head).map { "; \($0)" } ?? ""
      throw .reason("no scheme fits the challenge\(remedy)")
    }
    do throws(LupineError) { try await receiveChallengeBody(of: response) } catch { throw .failed(error) }
    if let renewal = authentication(recipient, { $0.renewal(offers) }) {
      return try await answerStrongest([renewal.offer], of: challenger, with: renewal.credential)
    }
    let realm = first.challenge.realm
    if let own = challenger.own, authentication(recipient, { $0.reserve(own, realm: realm) }) {
      return try await answerStrongest(offers, of: challenger, with: own)
    }
    guard let provider = challenger.provider else { throw .alreadySent }
    let credential = try await ask(provider, offers, challenger)
    guard authentication(recipient, { $0.reserve(credential, realm: realm) }) else { throw .alreadySent }
    try await answerStrongest(offers, of: challenger, with: credential)
  }

  /// Waits for the end of a challenge's body, which becomes the response if the program gives no credential.
  ///
  /// It does not wait for a body that is handed over at its head, because such a body has no reader yet.
  private func receiveChallengeBody(of response: TransportResponse) async throws(LupineError) {
    guard !execution.handsOverAtHead else { return }
    if execution.handler == nil {
      receiveBody(of: response)
    } else {
      response.body.open(.collect(limit: min(configuration.limits.responseBody, configuration.limits.discardedBody)))
    }
    try await awaitEnd(of: response)
  }

  private mutating func ask(
    _ provider: @escaping CredentialProvider, _ offers: [AuthenticationSchemes.Offer], _ challenger: Challenger
  ) async throws(Unanswered) -> Credential {
    let (failures, questions) = authentication(challenger.recipient) { state in
      state.countQuestion()
      return (state.sentCredentialCount, state.questions)
    }
    guard questions <= AuthenticationState.maximumQuestions else {
      throw .reason("the program was asked \(AuthenticationState.maximumQuestions) times already")
    }
    let question = CredentialRequest(
      url: challenger.request.url, challenges: offers.map(\.challenge), previousFailureCount: failures)
    do throws(LupineError) {
      if let credential = try await asking({ try await provider(question) }) { return credential }
    } catch {
      throw .failed(error)
    }
    throw .reason("the program gave no credential")
  }

  /// Answers the strongest challenge that the credential fits.
  private mutating func answerStrongest(
    _ offers: [AuthenticationSchemes.Offer], of challenger: Challenger, with credential: Credential
  ) async throws(Unanswered) {
    let context = authenticationContext(challenger)
    // A value that was sent preemptively was refused, so the same value is not sent again.
    let refused = authentication(challenger.recipient) { $0.sentValue }.flatMap { $0.isPreemptive ? $0.value : nil }
    var isRefused = false
    for offer in offers {
      do throws(LupineError) {
        let value = try await asking { try await offer.scheme.answer(offer.challenge, with: credential, in: context) }
        guard let value else { continue }
        isRefused = isRefused || value == refused
        if value == refused { continue }
        authentication(challenger.recipient) { $0.setAnswer(.init(offer: offer, credential: credential), value) }
        return
      } catch {
        throw .failed(error)
      }
    }
    throw isRefused ? .alreadySent : .reason("no scheme fits the challenge")
  }
}
