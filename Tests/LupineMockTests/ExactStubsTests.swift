import LupineCore
import LupineMock
import Testing

/// Stubs for exact URLs: the mock compares a few one by one, and finds many in a table.
@Suite struct ExactStubsTests {
  @Test(arguments: [1, 8, 9, 60]) func `each URL finds its own stub, and the one of higher priority`(
    count: Int
  ) async throws {
    let mock = MockTransport()
    for number in 1...count { mock.stub(.get, "https://example.com/items/\(number)", .text("\(number)")) }
    for number in 1...count { #expect(try await mock.get("https://example.com/items/\(number)") == "\(number)") }
    #expect(try await mock.get("https://example.com/items/%31?page=2") == "1")
    mock.stub(.get, "https://example.com/items/1", priority: 1, .text("first"))
    #expect(try await mock.get("https://example.com/items/1") == "first")
    await #expect(throws: LupineError.self) { try await mock.get("https://example.com/items/0") }
  }
}
