import HTTPTypes
import LupineCore
import LupineMock
import LupineSession

/// Pages of numbers that a mock serves, each with a link to the next one.
struct PagedMock {
  static let link = HTTPField.Name("Link") ?? .location
  let mock = MockTransport()

  func page(_ url: String, _ values: [Int], next: String? = nil) {
    let reply = MockReply.json(values)
    // A stub without a query also matches URLs with one.
    let priority = url.contains("?") ? 1 : 0
    mock.stub(.get, url, priority: priority, next.map { reply.field(Self.link, "<\($0)>; rel=\"next\"") } ?? reply)
  }
}

/// Returns the pages, and the error that ended the sequence.
func read(_ pages: PageSequence<[Int]>) async -> (values: [[Int]], error: LupineError?) {
  var values: [[Int]] = []
  do {
    for try await page in pages { values.append(page) }
    return (values, nil)
  } catch {
    return (values, error)
  }
}
