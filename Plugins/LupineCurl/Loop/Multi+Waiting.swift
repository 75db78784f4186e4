import LupineCore

/// Requests that wait within libcurl for a connection or for a stream of one.
extension Multi {
  /// Restarts waiting requests in the place of those that were removed while they waited.
  ///
  /// libcurl wakes one waiting request when a connection or a stream becomes free. If that request is removed before
  /// libcurl runs it, libcurl 7.88 wakes no other one. The others would then wait until their connect timeout passes,
  /// and without one forever. Those that have waited longest are restarted.
  func replaceRemovedWaiting() {
    let count = takeRemovedWaiting()
    guard count > 0 else { return }
    let waiting = loop.exchanges.filter { waits($0.value) }.sorted { $0.key < $1.key }.map(\.value)
    for exchange in waiting.prefix(count) {
      do throws(LupineError) { try exchange.connectionSetup().restartWaiting(exchange) } catch { exchange.fail(error) }
    }
  }

  /// Whether libcurl has no connection for the exchange, and makes none.
  private func waits(_ exchange: Exchange) -> Bool {
    exchange.multi === self && exchange.isUnderWay && exchange.connection.isMissing
      && exchange.setup?.lookup.isRunning != true
  }
}
