import HTTPTypes

/// What a request knows of the exchange that it began last.
///
/// The request's state owns it: the head is noted when it is accepted, whatever ends the request afterwards.
struct LastExchange: Sendable {
  /// The request as it was sent; `nil` where none was.
  var request: OutgoingRequest?
  /// The final head; `nil` until one has been accepted.
  var head: HTTPResponse?
  /// What the exchange cost; `nil` until it has ended, and where the transport did not measure it.
  var metrics: TransferMetrics?
}
