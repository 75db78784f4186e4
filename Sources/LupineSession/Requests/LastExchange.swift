package import HTTPTypes
package import LupineCore

/// What a request knows of the exchange that it began last.
///
/// The request's state owns it: the head is noted when it is accepted, whatever ends the request afterwards.
package struct LastExchange: Sendable {
  /// The request as it was sent; `nil` where none was.
  package var request: OutgoingRequest?
  /// The final head; `nil` until one has been accepted.
  package var head: HTTPResponse?
  /// What the exchange cost; `nil` until it has ended, and where the transport did not measure it.
  package var metrics: TransferMetrics?

  package init(request: OutgoingRequest? = nil, head: HTTPResponse? = nil, metrics: TransferMetrics? = nil) {
    self.request = request
    self.head = head
    self.metrics = metrics
  }
}
