import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

/// A cache for sessions that accept other content codings, and `Vary` that cannot be used.
@Suite(.timeLimit(.minutes(1))) struct SharedCodingTests {
  @Test func `a session without a coding receives no response with it from another session`() async throws {
    let bench = try CacheBench { $0.contentCoding(Capitals()) }
    let plain = try bench.another()
    bench.mock.stub(.get, CacheBench.url) { request in
      let accepts = request.headers[.acceptEncoding]?.contains("capitals") ?? false
      let reply = MockReply.cached("text", "max-age=60")
      return accepts ? reply.field(.contentEncoding, "capitals") : reply
    }
    #expect(await bench.get().text == "TEXT")
    await bench.session.finishBackgroundTasks()
    let answer = Answer(await plain.request(CacheBench.url).serializingString().response)
    #expect(answer.text == "text")
    #expect(answer.head?.headerFields[.contentEncoding] == nil)
    await plain.finishBackgroundTasks()
    #expect(await bench.get().text == "TEXT")
    #expect(await bench.get().status?.hasPrefix("hit") == true)
    #expect(bench.mock.requests.count == 2)
    await plain.shutdown()
  }

  @Test(arguments: ["*", "Accept, *", "Accept Encoding", "Accept;q=1", "\"Accept\"", "a/b"])
  func `a response whose Vary cannot be used is not stored`(vary: String) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", [.vary: vary]), .cached("two", "max-age=60"))
    #expect(await bench.get().text == "one")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().text == "two")
  }

  @Test(arguments: ["", ",", "Accept, , Accept-Language"])
  func `a Vary with empty members is used`(vary: String) async throws {
    let bench = try CacheBench()
    bench.stub(.cached("one", "max-age=60", [.vary: vary]))
    #expect(await bench.get().text == "one")
    await bench.session.finishBackgroundTasks()
    #expect(await bench.get().status == "hit; ttl=60")
  }
}
