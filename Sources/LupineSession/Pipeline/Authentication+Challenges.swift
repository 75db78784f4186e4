import HTTPTypes
import LupineCore

/// A challenge that can be answered.
struct OpenChallenge: Sendable {
  let challenger: Challenger
  /// The challenges of the response that a scheme of the session fits, the strongest first.
  let offers: [AuthenticationSchemes.Offer]
}

/// Answers challenges of a server (401) and of a proxy (407).
///
/// Each credential is used once in a realm, and once more after a renewal such as a stale nonce. So a wrong password ends
/// with the 401 or the 407.
extension Authentication {
  /// The challenge of a response; `nil` if it has none, or none that can be answered.
  mutating func challenge(of response: TransportResponse, to request: OutgoingRequest) -> OpenChallenge? {
    guard let challenger = challenger(of: response.statusCode, from: response.source, to: request) else { return nil }
    let offers = configuration.schemes.offers(response.head)
    guard let obstacle = obstacle(to: challenger, offers, response.head) else {
      return OpenChallenge(challenger: challenger, offers: offers)
    }
    emit(.challenged(isAnswered: false, reason: obstacle))
    return nil
  }

  /// The sender of a challenge with this status and source.
  func challenger(
    of status: Int, from source: TransportResponse.Source, to request: OutgoingRequest
  ) -> Challenger? {
    switch (status, source) {
    case (401, .origin): .server(of: request, in: execution)
    case (407, .proxy): .proxy(of: request, in: session)
    default: nil
    }
  }

  private mutating func obstacle(
    to challenger: Challenger, _ offers: [AuthenticationSchemes.Offer], _ head: HTTPResponse
  ) -> String? {
    let recipient = challenger.recipient
    if !challenger.hasCredential { return "the \(recipient == .origin ? "request" : "proxy") has no credential" }
    if !state(of: recipient, { $0.admits(challenger.request.url) }) { return "a redirect led to another origin" }
    if !challenger.request.body.isReplayable { return "the body can be sent only once" }
    guard offers.isEmpty else { return nil }
    let remedy = configuration.schemes.remedy(for: head).map { "; \($0)" } ?? ""
    return "no scheme fits the challenge\(remedy)"
  }

  /// Makes the answer that the next exchange sends; false if there is none.
  mutating func answers(_ challenge: OpenChallenge) async throws(LupineError) -> Bool {
    let recipient = challenge.challenger.recipient
    do throws(Unanswered) {
      try await answer(challenge)
      let reason = recipient == .origin ? "status 401 and a credential" : "the proxy's status 407 and a credential"
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

  private mutating func answer(_ challenge: OpenChallenge) async throws(Unanswered) {
    let (challenger, offers) = (challenge.challenger, challenge.offers)
    let recipient = challenger.recipient
    if let renewal = state(of: recipient, { $0.renewal(offers) }) {
      return try await answerStrongest([renewal.offer], of: challenger, with: renewal.credential)
    }
    let realm = offers.first?.challenge.realm
    if let own = challenger.own, state(of: recipient, { $0.reserve(own, realm: realm) }) {
      return try await answerStrongest(offers, of: challenger, with: own)
    }
    guard let provider = challenger.provider else { throw .alreadySent }
    let credential = try await ask(provider, offers, challenger)
    guard state(of: recipient, { $0.reserve(credential, realm: realm) }) else { throw .alreadySent }
    try await answerStrongest(offers, of: challenger, with: credential)
  }

  private mutating func ask(
    _ provider: @escaping CredentialProvider, _ offers: [AuthenticationSchemes.Offer], _ challenger: Challenger
  ) async throws(Unanswered) -> Credential {
    let (failures, questions) = state(of: challenger.recipient) { state in
      state.countQuestion()
      return (state.sentCredentialCount, state.questions)
    }
    guard questions <= AuthenticationState.maximumQuestions else {
      throw .reason("the program was asked \(AuthenticationState.maximumQuestions) times already")
    }
    let question = CredentialRequest(
      url: challenger.request.url, challenges: offers.map(\.challenge), previousFailureCount: failures,
      name: challenger.request.options[CredentialName.self])
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
    let context = context(challenger)
    // A value that was sent preemptively was refused, so the same value is not sent again.
    let refused = state(of: challenger.recipient) { $0.sentValue }.flatMap { $0.isPreemptive ? $0.value : nil }
    var isRefused = false
    for offer in offers {
      do throws(LupineError) {
        let value = try await asking { try await offer.scheme.answer(offer.challenge, with: credential, in: context) }
        guard let value else { continue }
        isRefused = isRefused || value == refused
        if value == refused { continue }
        state(of: challenger.recipient) { $0.setAnswer(.init(offer: offer, credential: credential), value) }
        return
      } catch {
        throw .failed(error)
      }
    }
    throw isRefused ? .alreadySent : .reason("no scheme fits the challenge")
  }
}
