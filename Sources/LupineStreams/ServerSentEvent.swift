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
