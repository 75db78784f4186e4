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
    let stream: UInt32
    /// `nil` if the connection is not known; the handle is then kept until the multi is closed.
    let connection: WatchedSocket?

    var isKept: Bool {
      guard let connection else { return true }
      return !connection.isClosed && stream > connection.lastAnsweredStream
    }
  }

  /// The maximum number of handles for one connection.
  private static let limit = 500

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Keeps the handle of a request.
  ///
  /// - Returns: whether the connection must be ended, because none of many requests had a response.
  mutating func add(_ easy: Easy, stream: UInt32, on connection: WatchedSocket?) -> Bool {
    let entry = Entry(easy: easy, stream: stream, connection: connection)
    guard entry.isKept else { return false }
    entries.append(entry)
    return entries.count { $0.connection === connection } == Self.limit
  }

  /// Releases the handles that libcurl no longer uses.
  mutating func release() { entries.removeAll { !$0.isKept } }
}
