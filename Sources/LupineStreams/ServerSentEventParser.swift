import LupineCoding
public import LupineCore
public import LupineFoundation

/// Parses lines into events (WHATWG HTML, section 9.2.6).
struct ServerSentEventParser: Sendable {
  /// The identifier that a reconnection sends as `Last-Event-ID`.
  private(set) var lastEventID: String
  /// The time that the server asks to wait before a reconnection; `nil` if it sent none.
  private(set) var retry: Duration?
  private let limit: Int
  private var id: String
  private var event = ""
  private var data: [String] = []
  private var size = 0

  /// - Parameter limit: the maximum size of one event's data in bytes.
  init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    self.limit = limit
    id = lastEventID
  }

  /// Returns a parser for the next connection, without the incomplete event of the last one.
  func reconnected() -> ServerSentEventParser {
    var next = ServerSentEventParser(lastEventID: lastEventID, limit: limit)
    next.retry = retry
    return next
  }

  /// Consumes a line and returns the event that it completes, if any.
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
          .limitExceeded(.line), "An event of the stream is longer than its limit of \(limit) bytes (limit line).")
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
  /// The type of the event.
  ///
  /// Default: `message`.
  public var event: String
  /// The data, lines joined by line feeds.
  public var data: String
  /// The last identifier that the stream sent, or else the one in the request; empty if there is none.
  public var id: String

  /// Creates an event.
  public init(event: String = "message", data: String, id: String = "") {
    self.event = event
    self.data = data
    self.id = id
  }

  /// Decodes the data from JSON.
  ///
  /// - Parameter decoder: what decodes the data. Default: a `JSONDecoder` with its default settings.
  /// - Throws: `LupineError` of kind `serializationFailed`, whose message names the first byte that is not JSON, or of
  ///   kind `limitExceeded(.nesting)` if the value is deeper than 512 levels.
  public func json<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder()
  ) throws(LupineError) -> Value {
    do throws(LupineError) {
      return try decoder.decodeGuarded(type, from: Data(data.utf8))
    } catch {
      throw error.appending("The body is the data of an event.")
    }
  }
}
