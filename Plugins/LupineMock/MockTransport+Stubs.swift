public import HTTPTypes
public import LupineCore
import Synchronization

extension MockTransport {
  /// Answers requests with this method and URL with this reply.
  ///
  /// The template is an absolute URL, or a path that begins with `/` and fits every origin. In its path, `{name}` stands
  /// for one segment or a part of one, which must not be empty, and a last segment `{name...}` for any number of further
  /// ones, none included: `/{any...}` fits everything. Escapes are undone before the comparison; a trailing slash counts.
  /// A template without a query fits any query. Items in a template's query must be in the request's, in any order,
  /// where `{name}` stands for any value; further items are allowed (see `RequestCondition.query(exactly:)`).
  ///
  /// A template that cannot be parsed, or a reply that contradicts itself, is an error of the requests it concerns and of
  /// `verify()`; both name the line of the stub.
  ///
  /// - Parameters:
  ///   - method: the method it answers.
  ///   - url: the URL template.
  ///   - conditions: what a request must fulfil besides. Default: nothing.
  ///   - priority: which stub answers when several fit: the one with the greater number. Default: 0.
  ///   - count: how often it answers. Default: any number of times, and at least once for `verify()`.
  ///   - reply: what it answers.
  ///   - fileID: where the stub stands, for its errors.
  ///   - line: where the stub stands, for its errors.
  public func stub(
    _ method: HTTPRequest.Method, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, _ reply: MockReply, fileID: String = #fileID, line: UInt = #line
  ) {
    add(
      StubDescription(
        methods: [method], url: url, conditions: conditions, priority: priority, count: count,
        location: SourceLocation(fileID: fileID, line: line)),
      .fixed(reply))
  }

  /// Answers requests with this method and URL with what a closure makes of each.
  ///
  /// See `stub(_:_:where:priority:count:_:fileID:line:)`. An error that the closure throws ends the request with kind
  /// `invalidStub`; to make a request fail on purpose, return `.failure`.
  public func stub(
    _ method: HTTPRequest.Method, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, fileID: String = #fileID, line: UInt = #line,
    _ reply: @escaping @Sendable (RecordedRequest) throws -> MockReply
  ) {
    add(
      StubDescription(
        methods: [method], url: url, conditions: conditions, priority: priority, count: count,
        location: SourceLocation(fileID: fileID, line: line)),
      .closure(reply))
  }

  /// Answers requests with this method and URL with what a closure makes of each, in its own time.
  ///
  /// When the exchange is cancelled meanwhile, the closure's task is cancelled.
  public func stub(
    _ method: HTTPRequest.Method, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, fileID: String = #fileID, line: UInt = #line,
    _ reply: @escaping @Sendable (RecordedRequest) async throws -> MockReply
  ) {
    add(
      StubDescription(
        methods: [method], url: url, conditions: conditions, priority: priority, count: count,
        location: SourceLocation(fileID: fileID, line: line)),
      .asyncClosure(reply))
  }

  /// Answers requests with any of these methods and this URL with this reply; see the stub of one method.
  public func stub(
    _ methods: [HTTPRequest.Method], _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, _ reply: MockReply, fileID: String = #fileID, line: UInt = #line
  ) {
    add(
      StubDescription(
        methods: methods, url: url, conditions: conditions, priority: priority, count: count,
        location: SourceLocation(fileID: fileID, line: line)),
      .fixed(reply))
  }

  /// Answers requests with any of these methods and this URL with what a closure makes of each; see the stub of one
  /// method.
  public func stub(
    _ methods: [HTTPRequest.Method], _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, fileID: String = #fileID, line: UInt = #line,
    _ reply: @escaping @Sendable (RecordedRequest) async throws -> MockReply
  ) {
    add(
      StubDescription(
        methods: methods, url: url, conditions: conditions, priority: priority, count: count,
        location: SourceLocation(fileID: fileID, line: line)),
      .asyncClosure(reply))
  }

  private func add(_ description: StubDescription, _ responder: Stub.Responder) {
    let stub = Stub(description, responder)
    state.withLock { $0.add(stub) }
  }
}

extension Transport where Self == MockTransport {
  /// A mock, with its stubs.
  public static func mock(_ configure: (MockTransport) -> Void) -> MockTransport {
    let mock = MockTransport()
    configure(mock)
    return mock
  }
}
