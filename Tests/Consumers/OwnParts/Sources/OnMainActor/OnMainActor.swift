import Lupine
import LupineMock

/// A model of a module whose declarations belong to the main actor by default.
nonisolated struct Issue: Codable, Sendable {
  var title: String
}

/// The module's own code, on the main actor.
final class Issues {
  private let session: Session
  private(set) var titles: [String] = []

  init(_ session: Session) { self.session = session }

  func add(_ title: String) async throws(LupineError) {
    let issue = try await session.request(
      "issues", method: .post, parameters: Issue(title: title), encoder: .json
    ).validate().serializingDecodable(Issue.self).value
    titles.append(issue.title)
  }

  /// Reads the titles with closures, which Lupine calls off the main actor.
  func count() async throws(LupineError) -> Int {
    try await session.request("issues").validate { _, response, _ in
      if response.status == .notFound { throw Missing() }
    }
    .serializingResponse(using: .closure { $0.data.count }).value
  }
}

nonisolated struct Missing: Error {}

@main struct OnMainActor {
  static func main() async throws {
    let mock = MockTransport()
    mock.stub(.post, "/issues") { request in .json(try request.json(Issue.self)) }
    mock.stub(.get, "/issues", .text("1234"))
    let issues = Issues(try Session.Builder().transport(mock).baseURL("https://example.com").build())
    try await issues.add("a bug")
    guard issues.titles == ["a bug"], try await issues.count() == 4 else { throw Missing() }
    print("on the main actor, the program got: \(issues.titles)")
  }
}
