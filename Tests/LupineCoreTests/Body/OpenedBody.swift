@testable import LupineCore

extension ExchangeControl {
  /// Begins the response's body and opens it with a sink.
  func beginBody(_ sink: BodySink, resume: @escaping @Sendable () -> Void) -> ExchangeControl {
    let exchange = beginBody(resume: resume)
    ResponseBody(exchange: exchange).open(sink)
    return exchange
  }
}
