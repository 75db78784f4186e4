import HTTPTypes
import LupineMock
import Testing

@Suite struct StubMethodsTests {
  @Test(
    arguments: [
      (StubMethods.get, [HTTPRequest.Method.get]), ([.get, .head], [.get, .head]), ([], []),
      (.delete, [.delete]), (.options, [.options]), (.patch, [.patch]), (.post, [.post]), (.put, [.put]),
      (.trace, [.trace]), (.head, [.head]),
    ] as [(StubMethods, [HTTPRequest.Method])])
  func `a stub answers the methods it lists`(methods: StubMethods, expected: [HTTPRequest.Method]) {
    let all: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .options, .trace, .patch]
    #expect(Set(all.filter { methods.contains($0) }) == Set(expected))
  }

  @Test func `any method is answered, one of a program's own too`() async throws {
    let mock = MockTransport()
    mock.stub(.any, "/", .text("fine"))
    let purge = try #require(HTTPRequest.Method("PURGE"))
    #expect(try await Exchange(method: purge).response(from: mock).text == "fine")
    #expect(StubMethods.any.description == "any method")
  }
}
