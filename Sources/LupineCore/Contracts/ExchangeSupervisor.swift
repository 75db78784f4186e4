import HTTPTypes

/// Stands above an exchange: says where its body goes, and hears what happens.
protocol ExchangeSupervisor: AnyObject, Sendable {
  /// Where the body behind a final head goes.
  func sink(for head: HTTPResponse, of control: TransferControl, attempt: Int) -> BodySink

  func hear(_ event: SessionEvent.Kind, attempt: Int)
}
