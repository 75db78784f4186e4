import HTTPTypes
import LupineCoding
import LupineCore
import LupineSupport

/// The settings of one request that are not part of its description.
struct RequestSettings: Sendable {
  var validators: [ResponseValidator] = []
  /// Stored indirectly: most requests never need it.
  private var rare: CopyOnWrite<Rare>?

  private struct Rare {
    var adapters: [any RequestAdapter] = []
    var retriers: [any Retrier] = []
    var interceptors: [any Interceptor] = []
    var redirector: Redirector?
    var options: OutgoingRequest.Options?
    var credential: Credential?
    var idempotencyKey: IdempotencyKey?
    var credentialProvider: CredentialProvider?
    var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] = []
    var interimListeners: [InterimListener] = []
    var hearsProgress = false
    var deadline: Duration?
  }

  init() {}

  /// Whether the request has no settings other than validators.
  var areDefault: Bool { rare == nil }

  private mutating func change(_ change: (inout Rare) -> Void) { rare.change(from: Rare(), change) }

  var adapters: [any RequestAdapter] {
    get { rare?.value.adapters ?? [] }
    set { change { $0.adapters = newValue } }
  }
  var retriers: [any Retrier] {
    get { rare?.value.retriers ?? [] }
    set { change { $0.retriers = newValue } }
  }
  var interceptors: [any Interceptor] {
    get { rare?.value.interceptors ?? [] }
    set { change { $0.interceptors = newValue } }
  }
  var redirector: Redirector? {
    get { rare?.value.redirector }
    set { change { $0.redirector = newValue } }
  }
  /// The options that were set after the request was described; `nil` if none were.
  var options: OutgoingRequest.Options? {
    get { rare?.value.options }
    set { change { $0.options = newValue } }
  }
  var credential: Credential? {
    get { rare?.value.credential }
    set { change { $0.credential = newValue } }
  }
  var idempotencyKey: IdempotencyKey? {
    get { rare?.value.idempotencyKey }
    set { change { $0.idempotencyKey = newValue } }
  }
  var credentialProvider: CredentialProvider? {
    get { rare?.value.credentialProvider }
    set { change { $0.credentialProvider = newValue } }
  }
  /// Whether the request has a progress handler.
  var hearsProgress: Bool {
    get { rare?.value.hearsProgress ?? false }
    set { change { $0.hearsProgress = newValue } }
  }
  /// The earliest deadline of the request, on the session's clock.
  var deadline: Duration? {
    get { rare?.value.deadline }
    set { change { $0.deadline = newValue } }
  }
  /// The closures that decide at the head whether the body is received.
  var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] {
    get { rare?.value.responseDeciders ?? [] }
    set { change { $0.responseDeciders = newValue } }
  }
  /// The listeners of interim responses.
  var interimListeners: [InterimListener] {
    get { rare?.value.interimListeners ?? [] }
    set { change { $0.interimListeners = newValue } }
  }
}

/// The decision at the response head whether to receive the body.
public enum ResponseDisposition: Sendable, Hashable {
  /// The body is received.
  case allow
  /// The request ends with kind `cancelled`; its body is not received.
  case cancel
}
