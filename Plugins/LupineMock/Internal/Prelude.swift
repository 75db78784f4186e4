import HTTPTypes

/// What came of a reply before it was due, where the request's body waited for the server's word.
struct Prelude: Sendable {
  /// How much of the reply's delay has passed.
  var waited = Duration.zero
  /// The interim responses that have been told.
  var heard: [HTTPResponse] = []
  /// Whether the connection has been told of.
  var isConnected = false

  /// What is still to be told of a reply's interim responses: 100 is told once.
  func rest(of informational: [HTTPResponse]) -> [HTTPResponse] {
    if heard.isEmpty { return informational }
    if informational.starts(with: heard) { return Array(informational.dropFirst(heard.count)) }
    var rest = informational
    if let index = rest.firstIndex(where: { $0.status.code == 100 }) { rest.remove(at: index) }
    return rest
  }
}
