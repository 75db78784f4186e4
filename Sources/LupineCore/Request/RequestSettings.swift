import HTTPTypes

/// What was asked of one request besides its description.
struct RequestSettings: Sendable {
  var validators: [ResponseValidator] = []
  /// Behind one pointer that most requests share, since few are given any of it.
  private var rare = Self.none

  private static let none = CopyOnWrite(Rare())

  private struct Rare {
    var adapters: [any RequestAdapter] = []
    var retriers: [any Retrier] = []
    var interceptors: [any Interceptor] = []
    var redirector: Redirector?
    var credential: Credential?
    var idempotencyKey: IdempotencyKey?
    var credentialProvider: CredentialProvider?
    var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] = []
    var interimListeners: [InterimListener] = []
  }

  init() {}

  /// Whether nothing but validators was given.
  var areUsual: Bool { rare.isShared(with: Self.none) }

  var adapters: [any RequestAdapter] {
    get { rare.value.adapters }
    set { rare.value.adapters = newValue }
  }
  var retriers: [any Retrier] {
    get { rare.value.retriers }
    set { rare.value.retriers = newValue }
  }
  var interceptors: [any Interceptor] {
    get { rare.value.interceptors }
    set { rare.value.interceptors = newValue }
  }
  var redirector: Redirector? {
    get { rare.value.redirector }
    set { rare.value.redirector = newValue }
  }
  var credential: Credential? {
    get { rare.value.credential }
    set { rare.value.credential = newValue }
  }
  var idempotencyKey: IdempotencyKey? {
    get { rare.value.idempotencyKey }
    set { rare.value.idempotencyKey = newValue }
  }
  var credentialProvider: CredentialProvider? {
    get { rare.value.credentialProvider }
    set { rare.value.credentialProvider = newValue }
  }
  /// Who decides at the head whether the response is wanted.
  var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] {
    get { rare.value.responseDeciders }
    set { rare.value.responseDeciders = newValue }
  }
  /// Who hears of interim responses.
  var interimListeners: [InterimListener] {
    get { rare.value.interimListeners }
    set { rare.value.interimListeners = newValue }
  }
}
