import HTTPTypes

/// The parts of a reply that were sent while the request's body waited for 100 Continue.
struct Prelude: Sendable {
  /// The part of the reply's delay that has passed.
  var waited = Duration.zero
  /// The interim responses that have been reported.
  var heard: [HTTPResponse] = []
  /// Whether the connection has been reported.
  var isConnected = false

  /// Returns the interim responses of a reply that are not yet reported; 100 is reported once.
  func rest(of informational: [HTTPResponse]) -> [HTTPResponse] {
    if heard.isEmpty { return informational }
    if informational.starts(with: heard) { return Array(informational.dropFirst(heard.count)) }
    var rest = informational
    if let index = rest.firstIndex(where: { $0.status.code == 100 }) { rest.remove(at: index) }
    return rest
  }
}
