import LupineCore

/// The handles of HTTP/2 requests that ended without a response and may not have been sent.
///
/// libcurl before 8.6 uses such a handle when nghttp2 takes the cancelled request from its queue, for example when a
/// server that has stopped reading reads again (curl#10936). So a handle is kept, and not used for another exchange,
/// until its connection is closed or a later request on the connection has a response: nghttp2 sends the requests of a
/// connection in order.
struct UnsentRequests {
  private struct Entry {
    let easy: Easy
    /// `nil` if it is not known on which of the connections the request was.
    let stream: UInt32?
    let connections: [WatchedSocket]

    var isKept: Bool {
      connections.contains { connection in
        !connection.isClosed && stream.map { $0 > connection.lastAnsweredStream } ?? true
      }
    }
  }

  /// The maximum number of handles for one connection, and of those whose connection is not known.
  private static let limit = 500

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Keeps the handle of a request.
  ///
  /// - Parameters:
  ///   - stream: the number of the request's stream.
  ///   - connection: the request's connection; `nil` if it is not known.
  ///   - others: the connections on which the request may have been, if its connection is not known.
  /// - Returns: the connections that must be ended, because none of many requests had a response.
  mutating func add(
    _ easy: Easy, stream: UInt32, on connection: WatchedSocket?, or others: () -> [WatchedSocket]
  ) -> [WatchedSocket] {
    let entry = Entry(
      easy: easy, stream: connection.map { _ in stream }, connections: connection.map { [$0] } ?? others())
    guard entry.isKept else { return [] }
    entries.append(entry)
    let alike = entries.filter { connection == nil ? $0.stream == nil : $0.connections.first === connection }
    return alike.count == Self.limit ? entry.connections : []
  }

  /// Releases the handles that libcurl no longer uses.
  mutating func closeUnused() { entries.removeAll { !$0.isKept } }
}
