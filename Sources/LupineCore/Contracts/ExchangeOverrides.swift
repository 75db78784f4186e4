import HTTPTypes
import LupineSupport

/// The settings of one exchange that differ from those of its session.
///
/// Immutable; a change replaces it. A class of its own, because the runtime copies an optional generic value, such as
/// `CopyOnWrite`, by its metadata.
final class ExchangeOverrides: Sendable {
  struct Values {
    var connectTimeout: Duration?
    var connectionKey: ConnectionKey
    var evaluator: (any TrustEvaluator)?
    var proxyEvaluator: (any TrustEvaluator)?
    var proxyAuthorization: String?
    var needsNewConnection = false
    var tolerances: ResponseTolerances = []
    /// Whether a part of the response's body is kept and continued after a failure.
    var keepsPartialBody = false
    /// The position of the request's body in a longer upload.
    var upload = UploadPart()
    /// Receives the events instead of the supervisor of `control`.
    var events: (@Sendable (SessionEvent.Kind) -> Void)?
    /// Receives the events before the supervisor does.
    var observer: (@Sendable (SessionEvent.Kind) -> Void)?
    /// Receives the size of each piece of the response's body when the transport delivers it.
    var arrivals: (@Sendable (Int) -> Void)?
    /// Returns the destination of the response's body; `nil` if the session sets it later with `ResponseBody.open`.
    var sink: (@Sendable (HTTPResponse) -> BodySink)?

    init(_ settings: ExchangeSettings) {
      connectTimeout = settings.connectTimeout
      connectionKey = settings.connectionKey
    }
  }

  let value: Values

  init(_ value: Values) { self.value = value }
}
