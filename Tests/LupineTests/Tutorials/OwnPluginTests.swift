// The code of the tutorial "A plugin of your own".

import HTTPTypes
import Lupine
import LupineMock
import LupineTesting
import Synchronization
import Testing

/// Whether a request gets a number.
enum Numbering: RequestOptionKey {
  case on, off

  static var defaultValue: Numbering { .on }
}

/// Gives each request of a session a number, in a field of its own.
struct RequestNumbers: Plugin {
  var field = "X-Request-Number"

  func install(in builder: inout Session.Builder) {
    guard HTTPField.Name(field) != nil else {
      let issue = ConfigurationIssue(part: "request numbers", reason: "\"\(field)\" is no name of a field.")
      builder = builder.issue(issue)
      return
    }
    builder = builder.adapter(NumberingAdapter(field: field))
  }
}

/// Counts the attempts of a session's requests.
private final class NumberingAdapter: RequestAdapter {
  private let field: String
  private let last = Mutex(0)

  init(field: String) { self.field = field }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard request.options[Numbering.self] == .on else { return request }
    let number = last.withLock { last in
      last += 1
      return last
    }
    var request = request
    request.headers[field] = "\(number)"
    return request
  }
}

extension Plugin where Self == RequestNumbers {
  /// Numbers in the field `X-Request-Number`.
  static var requestNumbers: RequestNumbers { RequestNumbers() }
}

@Test(.mock) func `requests are numbered from 1`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "https://api.example.com/users", .json(["ada"]))
  let session = try Session.Builder().transport(mock).install(.requestNumbers).build()
  for _ in 1...2 { _ = try await session.request("https://api.example.com/users").serializingData().value }
  #expect(mock.requests.map { $0.headers["X-Request-Number"] } == ["1", "2"])
}

@Test(.mock) func `a request can stay without a number`() async throws {
  let mock = try #require(MockTransport.current)
  mock.stub(.get, "https://api.example.com/users", .json(["ada"]))
  let session = try Session.Builder().transport(mock).install(.requestNumbers).build()
  _ = try await session.request("https://api.example.com/users").option(Numbering.self, .off).serializingData().value
  #expect(mock.requests.map { $0.headers["X-Request-Number"] } == [nil])
}

@Test func `a field without a name is an issue`() {
  let builder = Session.Builder().transport(MockTransport()).install(RequestNumbers(field: "two words"))
  let error = #expect(throws: LupineError.self) { try builder.build() }
  #expect(error?.message.contains("two words") == true)
}
