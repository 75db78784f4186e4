import LupineCore

/// Reads lines as events (WHATWG HTML, section 9.2.6).
struct ServerSentEventParser: Sendable {
  /// The identifier that a reconnection sends as `Last-Event-ID`.
  private(set) var lastEventID: String
  /// How long the server asks to wait before a reconnection; `nil` where it has not.
  private(set) var retry: Duration?
  private let limit: Int
  private var id: String
  private var event = ""
  private var data: [String] = []
  private var size = 0

  /// - Parameter limit: the most bytes of one event's data.
  init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    self.limit = limit
    id = lastEventID
  }

  /// A parser for the next connection: what the last one left unfinished is forgotten.
  func reconnected() -> ServerSentEventParser {
    var next = ServerSentEventParser(lastEventID: lastEventID, limit: limit)
    next.retry = retry
    return next
  }

  /// Takes a line and returns the event that it ends, if there is one.
  mutating func take(_ line: String) throws(LupineError) -> ServerSentEvent? {
    guard !line.isEmpty else { return dispatch() }
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      try field(line[...], "")
      return nil
    }
    guard colon != line.startIndex else { return nil }
    var value = line[line.utf8.index(after: colon)...]
    if value.utf8.first == 0x20 { value = value[value.utf8.index(after: value.startIndex)...] }
    try field(line[..<colon], value)
    return nil
  }

  private mutating func field(_ name: Substring, _ value: Substring) throws(LupineError) {
    switch name {
    case "event": event = String(value)
    case "data":
      size += value.utf8.count + 1
      guard size <= limit else {
        throw LupineError(
          .limitExceeded(.line), "An event of the stream is longer than \(limit) bytes, the limit line that was given.")
      }
      data.append(String(value))
    case "id": if !value.utf8.contains(0) { id = String(value) }
    case "retry": if let time = Self.milliseconds(value) { retry = time }
    default: break
    }
  }

  private mutating func dispatch() -> ServerSentEvent? {
    lastEventID = id
    defer {
      data = []
      event = ""
      size = 0
    }
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(
      event: event.isEmpty ? "message" : event, data: data.joined(separator: "\n"), id: lastEventID)
  }

  private static func milliseconds(_ text: Substring) -> Duration? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else {
      return nil
    }
    return .milliseconds(min(number, 86_400_000))
  }
}

/// One event of a `text/event-stream` (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// What kind of event it is.
  ///
  /// Default: `message`.
  public var event: String
  /// The data, lines joined by line feeds.
  public var data: String
  /// The last identifier that the stream has named, or else that the request was made with; empty where there was none.
  public var id: String

  /// Describes an event.
  public init(event: String = "message", data: String, id: String = "") {
    self.event = event
    self.data = data
    self.id = id
  }
}
