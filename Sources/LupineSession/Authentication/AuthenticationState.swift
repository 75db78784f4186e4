import LupineCore

/// What was given to the challenges of a server, or of a proxy, in the course of one attempt, and what may still be given.
struct AuthenticationState: Sendable {
  /// How often a program's closure is asked for another credential in one attempt.
  static let maximumQuestions = 5

  /// A credential in a protection space.
  struct SentCredential: Hashable, Sendable {
    let credential: Credential
    let realm: String?
  }

  /// What the answers of this attempt come from.
  struct Answer: Sendable {
    let offer: AuthenticationSchemes.Offer
    let credential: Credential
  }

  /// What an exchange carries, and who made it.
  struct Carried: Sendable {
    let scheme: any AuthenticationScheme
    let credential: Credential
    let value: String
    /// Whether no challenge of this attempt asked for it.
    let isUnasked: Bool
  }

  /// Who asks; what is given to a proxy is given whatever server a request goes to.
  let recipient: AuthenticationContext.Recipient
  /// Where the credential belongs: the origin of the attempt's first request, before a fresh URL took its place.
  private(set) var origin: HTTPURL.Origin?
  /// Whether the way has led to another origin, where a credential has no business from then on.
  private(set) var hasLeftOrigin = false
  private(set) var questions = 0
  private(set) var answer: Answer?
  /// The value for the next exchange alone, made when its challenge came.
  private var value: String?
  /// What the current exchange carries.
  private(set) var carried: Carried?
  private var sentCredentials: Set<SentCredential> = []
  private var redirects = 0
  private var hasRenewed = false

  init(_ recipient: AuthenticationContext.Recipient) { self.recipient = recipient }

  /// Whether a credential may go with this request.
  mutating func admits(_ url: HTTPURL) -> Bool {
    guard recipient == .origin else { return true }
    if origin == nil { origin = url.origin }
    return !hasLeftOrigin && origin == url.origin
  }

  mutating func follows(from: HTTPURL, to url: HTTPURL) {
    redirects += 1
    guard recipient == .origin else { return }
    if origin == nil { origin = from.origin }
    if url.origin != from.origin { hasLeftOrigin = true }
    if hasLeftOrigin { value = nil }
  }

  /// Begins the way anew, where an interceptor sends its request again; what was given stays given.
  mutating func comesBack() { hasLeftOrigin = false }

  mutating func asks() { questions += 1 }

  /// Takes note that a credential is given; false where it was before, or where this would be one too many.
  mutating func gives(_ credential: Credential, realm: String?) -> Bool {
    guard sentCredentials.count <= redirects + questions else { return false }
    return sentCredentials.insert(SentCredential(credential: credential, realm: realm)).inserted
  }

  /// How many credentials were given.
  var sentCredentialCount: Int { sentCredentials.count }

  mutating func answers(_ answer: Answer, _ value: String) {
    self.answer = answer
    self.value = value
  }

  /// Begins an exchange with what was made for it: the value that answers its challenge, and what may answer again.
  mutating func begins(_ url: HTTPURL) -> (isAdmitted: Bool, value: String?, answer: Answer?) {
    carried = nil
    defer { value = nil }
    return (admits(url), value, answer)
  }

  mutating func carries(_ carried: Carried) { self.carried = carried }

  /// The offer that renews the last answer; once.
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
