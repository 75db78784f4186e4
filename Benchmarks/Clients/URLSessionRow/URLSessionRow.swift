import Foundation
import FoundationNetworking
import Row

/// The row of URLSession from swift-corelibs-foundation.
@main struct URLSessionRow {
  let session: URLSession
  let work: Work
  let url: URL
  private let decoder = JSONDecoder()

  static func main() { Work.run(measure) }

  private static func measure(_ work: Work) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = work.concurrency
    configuration.urlCache = nil
    guard let url = URL(string: work.url) else { throw WorkError("\(work.url) is no URL") }
    let row = URLSessionRow(session: URLSession(configuration: configuration), work: work, url: url)
    try await work.measure { try await row.request() }
  }

  private func request() async throws {
    switch work.kind {
    case .get, .discard, .stream: _ = try check(await session.data(from: url))
    case .decode: _ = try decoder.decode(Article.self, from: check(await session.data(from: url)))
    case .put:
      var request = URLRequest(url: url)
      request.httpMethod = "PUT"
      _ = try check(await session.upload(for: request, fromFile: URL(fileURLWithPath: work.path)))
    case .file:
      let file = try check(await session.download(from: url))
      try FileManager.default.removeItem(at: file)
    case .each, .spread, .putStream, .form:
      throw WorkError("it has no streams of a known length, and is measured neither with a cache nor with forms")
    }
  }

  private func check<Value>(_ answer: (Value, URLResponse)) throws -> Value {
    guard let response = answer.1 as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
      throw WorkError("a status that is no success")
    }
    return answer.0
  }
}
