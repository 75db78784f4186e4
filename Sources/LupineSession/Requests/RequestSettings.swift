import HTTPTypes
import LupineCoding
import LupineCore
import LupineSupport

/// See `RequestExecution.addOutcomeListener(_:)`.
typealias OutcomeListener = @Sendable (RequestOutcome) async -> Void

/// The settings of one request that are not part of its description.
struct RequestSettings: Sendable {
  var validators: [ResponseValidator] = []
  /// Stored indirectly: most requests never need it.
  private var overrides: CopyOnWrite<Overrides>?

  private struct Overrides {
    var adapters: [any RequestAdapter] = []
    var retriers: [any Retrier] = []
    var interceptors: [any Interceptor] = []
    var monitors = MonitorList()
    var redirector: Redirector?
    var options: OutgoingRequest.Options?
    var credential: Credential?
    var idempotencyKey: IdempotencyKey?
    var credentialProvider: CredentialProvider?
    var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] = []
    var interimListeners: [InterimListener] = []
    var hasProgressHandler = false
    var outcomeListeners: [OutcomeListener] = []
    var deadline: Duration?
  }

  init() {}

  /// Whether the request has no settings other than validators.
  var areDefault: Bool { overrides == nil }

  private mutating func change(_ change: (inout Overrides) -> Void) { overrides.change(from: Overrides(), change) }

  var adapters: [any RequestAdapter] {
    get { overrides?.value.adapters ?? [] }
    set { change { $0.adapters = newValue } }
  }
  var retriers: [any Retrier] {
    get { overrides?.value.retriers ?? [] }
    set { change { $0.retriers = newValue } }
  }
  var interceptors: [any Interceptor] {
    get { overrides?.value.interceptors ?? [] }
    set { change { $0.interceptors = newValue } }
  }
  var monitors: MonitorList {
    get { overrides?.value.monitors ?? MonitorList() }
    set { change { $0.monitors = newValue } }
  }
  var redirector: Redirector? {
    get { overrides?.value.redirector }
    set { change { $0.redirector = newValue } }
  }
  /// The options that were set after the request was described; `nil` if none were.
  var options: OutgoingRequest.Options? {
    get { overrides?.value.options }
    set { change { $0.options = newValue } }
  }
  var credential: Credential? {
    get { overrides?.value.credential }
    set { change { $0.credential = newValue } }
  }
  var idempotencyKey: IdempotencyKey? {
    get { overrides?.value.idempotencyKey }
    set { change { $0.idempotencyKey = newValue } }
  }
  var credentialProvider: CredentialProvider? {
    get { overrides?.value.credentialProvider }
    set { change { $0.credentialProvider = newValue } }
  }
  /// Records a progress handler, so that `areDefault` is false and the end of the request reports the last value.
  mutating func addProgressHandler() { change { $0.hasProgressHandler = true } }
  /// The listeners that receive the outcome before any task or handler.
  var outcomeListeners: [OutcomeListener] {
    get { overrides?.value.outcomeListeners ?? [] }
    set { change { $0.outcomeListeners = newValue } }
  }
  /// The earliest deadline of the request, on the session's clock.
  var deadline: Duration? {
    get { overrides?.value.deadline }
    set { change { $0.deadline = newValue } }
  }
  /// The closures that decide at the head whether the body is received.
  var responseDeciders: [@Sendable (HTTPResponse) async -> ResponseDisposition] {
    get { overrides?.value.responseDeciders ?? [] }
    set { change { $0.responseDeciders = newValue } }
  }
  /// The listeners of interim responses.
  var interimListeners: [InterimListener] {
    get { overrides?.value.interimListeners ?? [] }
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
