import LupineCore

/// The settings of one exchange.
struct StageSettings: Sendable {
  var sink = BodySink.collect(limit: 64 << 20)
  var limits = Limits()
  var identity = ConnectionKey()
  var proxyAuthorization: String?
  var connectTimeout: Duration?
  var control = ExchangeControl()
  var onEvent: @Sendable (SessionEvent.Kind) -> Void = { _ in }
}
