import HTTPTypes

/// Stands above an exchange: says where its body goes, and hears what happens.
protocol ExchangeSupervisor: AnyObject, Sendable {
  /// Where the body behind a final head goes.
  ///
  /// - Parameter status: the head's, which stands there as text.
  func sink(for head: HTTPResponse, status: Int, of control: ExchangeControl, attempt: Int) -> BodySink

  func hear(_ event: SessionEvent.Kind, attempt: Int)
}
