public import LupineCore
import Synchronization

extension MockTransport {
  /// Answers requests with these methods and this URL with a reply.
  ///
  /// The template is an absolute URL, or a path that begins with `/` and matches every origin. In its path, `{name}`
  /// matches one segment or a part of one, which must not be empty. A last segment `{name...}` matches any number of
  /// further segments, including none: `/{any...}` matches everything. Paths are compared decoded; a trailing slash
  /// counts. A template without a query matches any query. Items in a template's query must be in the request's query,
  /// in any order, and `{name}` matches any value; further items are allowed (see `RequestCondition.query(exactly:)`).
  ///
  /// An invalid template, or a reply that contradicts itself, is an error of the requests that it affects and of
  /// `verify()`; both errors name the line of the stub.
  ///
  /// - Parameters:
  ///   - methods: the methods that the stub answers, such as `.get` or `[.get, .head]`.
  ///   - url: the URL template.
  ///   - conditions: further conditions that a request must meet. Default: none.
  ///   - priority: if several stubs match, the one with the greater number answers. Default: 0.
  ///   - count: how often the stub answers. Default: any number of times, and at least once for `verify()`.
  ///   - reading: how much of the request's body is read before the answer. Default: all of it. Stubs that read less
  ///     are evaluated before all others.
  ///   - reply: the reply.
  public func stub(
    _ methods: StubMethods, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, reading: RequestReading = .whole, _ reply: MockReply, fileID: String = #fileID,
    filePath: String = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    add(.fixed(reply), methods, url, conditions, priority, count, reading, location)
  }

  /// Answers requests with these methods and this URL with the reply that a closure returns.
  ///
  /// See the stub with a fixed reply. An error that the closure throws ends the request with kind `invalidStub`; to
  /// make a request fail on purpose, return `.failure` or `.fault`.
  public func stub(
    _ methods: StubMethods, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, reading: RequestReading = .whole, fileID: String = #fileID,
    filePath: String = #filePath, line: UInt = #line, column: UInt = #column,
    _ reply: @escaping @Sendable (RecordedRequest) throws -> MockReply
  ) {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    add(.closure(reply), methods, url, conditions, priority, count, reading, location)
  }

  /// Answers requests with these methods and this URL with the reply that an asynchronous closure returns.
  ///
  /// If the exchange is cancelled meanwhile, the closure's task is cancelled.
  public func stub(
    _ methods: StubMethods, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, reading: RequestReading = .whole, fileID: String = #fileID,
    filePath: String = #filePath, line: UInt = #line, column: UInt = #column,
    _ reply: @escaping @Sendable (RecordedRequest) async throws -> MockReply
  ) {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    add(.asyncClosure(reply), methods, url, conditions, priority, count, reading, location)
  }

  private func add(
    _ responder: Stub.Responder, _ methods: StubMethods, _ url: String, _ conditions: [RequestCondition],
    _ priority: Int, _ count: StubCount, _ reading: RequestReading, _ location: StubLocation
  ) {
    let place = state.withLock { $0.nextPlace() }
    let asked = StubDescription(methods, url, conditions, priority, count, reading, location, place: place)
    let stub = Stub(asked, responder)
    state.withLock { $0.add(stub) }
  }
}

extension Transport where Self == MockTransport {
  /// A mock transport with stubs.
  public static func mock(_ configure: (MockTransport) -> Void) -> MockTransport {
    let mock = MockTransport()
    configure(mock)
    return mock
  }
}
