import LupineCore

/// What a check sets for one exchange.
struct StageSettings: Sendable {
  var sink = BodySink.collect(limit: 64 << 20)
  var limits = Limits()
  var identity = SecurityIdentity()
  var proxyAuthorization: String?
  var connectTimeout: Duration?
  var control = TransferControl()
  var onEvent: @Sendable (SessionEvent.Kind) -> Void = { _ in }
}
