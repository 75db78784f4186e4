import Lupine
import LupineMock

/// A program without a C library, whose only transport is the mock.
@main struct WithoutCurl {
  struct Flower: Codable, Sendable, Equatable {
    var name: String
  }

  struct Surprise: Error {
    let what: String
  }

  static func main() async throws {
    try await requestOnTheMock()
    try await requestWithoutTransport()
  }

  private static func requestOnTheMock() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/flowers/{id}", .json(Flower(name: "lupine")))
    let session = try Session.Builder().standardDefaults().transport(mock).baseURL("https://example.com").build()
    let flower = try await session.request("flowers/1").validate().serializingDecodable(Flower.self).value
    guard flower == Flower(name: "lupine") else { throw Surprise(what: "the mock answered \(flower)") }
    try mock.verify()
    print("without a C library, the mock answers: \(flower.name)")
  }

  /// Checks that each request of the default session fails, because that session has no transport.
  private static func requestWithoutTransport() async throws {
    let response = await Lupine.request("https://example.com/flowers/1").serializingData().response
    guard let error = response.error, case .configuration(let issues) = error.kind,
      issues.map(\.part) == ["transport"]
    else {
      throw Surprise(what: "without a transport, the default session answered \(response)")
    }
    print("without a C library, the default session says: \(error.message)")
  }
}
