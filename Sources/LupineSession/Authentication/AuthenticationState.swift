import LupineCore

/// The credentials that one attempt has sent to a server or a proxy, and those that it may still send.
struct AuthenticationState: Sendable {
  /// The maximum number of calls of a program's credential closure in one attempt.
  static let maximumQuestions = 5

  /// A credential in a protection space.
  struct SentCredential: Hashable, Sendable {
    let credential: Credential
    let realm: String?
  }

  /// The challenge and the credential of the current answer.
  struct Answer: Sendable {
    let offer: AuthenticationSchemes.Offer
    let credential: Credential
  }

  /// The value that an exchange sends, with its scheme and credential.
  struct SentValue: Sendable {
    let scheme: any AuthenticationScheme
    let credential: Credential
    let value: String
    /// Whether the value was sent preemptively, without a challenge in this attempt.
    let isPreemptive: Bool
  }

  /// The server or proxy; a proxy's credential is used for every server.
  let recipient: AuthenticationContext.Recipient
  /// The origin that may receive the credential: that of the attempt's first request, before a refreshed URL.
  private(set) var origin: HTTPURL.Origin?
  /// Whether a redirect has led to another origin, after which no credential is sent.
  private(set) var hasLeftOrigin = false
  private(set) var questions = 0
  private(set) var answer: Answer?
  /// The value for the next exchange only, created from its challenge.
  private var value: String?
  /// The value that the current exchange sends.
  private(set) var sentValue: SentValue?
  private var sentCredentials: Set<SentCredential> = []
  private var redirects = 0
  private var hasRenewed = false

  init(_ recipient: AuthenticationContext.Recipient) { self.recipient = recipient }

  /// Whether a credential may be sent with this request.
  mutating func admits(_ url: HTTPURL) -> Bool {
    guard recipient == .origin else { return true }
    if origin == nil { origin = url.origin }
    return !hasLeftOrigin && origin == url.origin
  }

  mutating func followRedirect(from: HTTPURL, to url: HTTPURL) {
    redirects += 1
    guard recipient == .origin else { return }
    if origin == nil { origin = from.origin }
    if url.origin != from.origin { hasLeftOrigin = true }
    if hasLeftOrigin { value = nil }
  }

  /// Resets the change of origin when an interceptor sends the request again; sent credentials stay recorded.
  mutating func returnToOrigin() { hasLeftOrigin = false }

  mutating func countQuestion() { questions += 1 }

  /// Reserves a credential for one answer; `false` if it was sent before or the limit is reached.
  mutating func reserve(_ credential: Credential, realm: String?) -> Bool {
    guard sentCredentials.count <= redirects + questions else { return false }
    return sentCredentials.insert(SentCredential(credential: credential, realm: realm)).inserted
  }

  /// The number of credentials sent.
  var sentCredentialCount: Int { sentCredentials.count }

  mutating func setAnswer(_ answer: Answer, _ value: String) {
    self.answer = answer
    self.value = value
  }

  /// Begins an exchange; returns the value that answers its challenge, and the answer for further requests.
  mutating func beginExchange(_ url: HTTPURL) -> (isAdmitted: Bool, value: String?, answer: Answer?) {
    sentValue = nil
    defer { value = nil }
    return (admits(url), value, answer)
  }

  mutating func setSentValue(_ value: SentValue) { sentValue = value }

  /// The answer that renews the last one, for example after a stale nonce; available once.
  mutating func renewal(_ offers: [AuthenticationSchemes.Offer]) -> Answer? {
    guard !hasRenewed, let answer else { return nil }
    let renewing = offers.first { offer in
      offer.scheme.name == answer.offer.scheme.name && offer.challenge.realm == answer.offer.challenge.realm
        && offer.scheme.isRenewal(offer.challenge)
    }
    guard let renewing else { return nil }
    hasRenewed = true
    return Answer(offer: renewing, credential: answer.credential)
  }
}
