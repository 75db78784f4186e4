import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import Testing

/// The messages in the guide to testing, which must equal the real ones.
@Suite struct DocumentationTests {
  private func guide() throws -> String {
    let path = Fixture.path("../Sources/Lupine/Documentation.docc/Testing.md")
    return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  /// The text with fixed durations and single spaces, because durations vary and the guide breaks its lines.
  private func plain(_ text: String) -> String {
    text.replacing(#/\d+\.\d+ ms/#, with: "0 ms").replacing(#/\s+/#, with: " ")
  }

  @Test func `the report of a failing test equals the guide's`() async throws {
    let mock = MockTransport()
    let file = "FailingTest/FailingTest.swift"
    mock.stub(.get, "https://api.example.com/v1/users/{id}", .text("mattt"), fileID: file, line: 7)
    mock.stub(.delete, "https://api.example.com/v1/users/{id}", .status(.noContent), fileID: file, line: 8)
    let session = try Session.Builder().transport(mock).build()
    _ = await session.request("https://api.example.com/v2/users/42").serializingString().response
    let error = try #require(throws: LupineError.self) { try mock.verify() }
    #expect(plain(try guide()).contains(plain(error.message)))
  }

  @Test func `the report of a failing seed equals the guide's`() async throws {
    let failure = await #expect(throws: SimulationFailure.self) {
      try await Simulation.explore(seeds: 0..<1_000) { world in
        let mock = MockTransport()
        mock.stub(.post, "/add", .text("added"))
        let session = try Session.Builder().transport(mock).build()
        _ = try await session.request("https://bank.example.com/add", method: .post, parameters: ["amount": 10])
          .validate().serializingData().value
      }
    }
    #expect(plain(try guide()).contains(plain(try #require(failure).description)))
  }
}
