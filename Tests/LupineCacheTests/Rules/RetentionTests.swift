import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import Testing

@testable import LupineCache

@Suite(.timeLimit(.minutes(1))) struct RetentionTests {
  private static let week = 604_800

  @Test(
    arguments: [
      (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "max-age=60", "Age": "20"], 40),
      (["Cache-Control": "max-age=60, stale-while-revalidate=30, stale-if-error=90"], 150),
      (["Cache-Control": "max-age=60, must-revalidate, stale-while-revalidate=30"], 60),
      (["Cache-Control": "max-age=60", "ETag": "\"a\""], 60 + week),
      (["Cache-Control": "no-cache", "ETag": "\"a\""], week),
      (["Cache-Control": "max-age=0"], 0),
    ] as [([String: String], Int)])
  func `a record states how long the response is of use`(fields: [String: String], seconds: Int) async throws {
    let retention = try await Self.retention(MockReply.text("one").fields(Self.fields(fields)))
    #expect(retention == .seconds(seconds))
  }

  @Test func `the lifetime of the caller counts`() async throws {
    #expect(try await Self.retention(.cached("one", "max-age=60")) { $0.cache(for: .seconds(90)) } == .seconds(90))
  }

  @Test func `a confirmation sets a new time`() async throws {
    let store = MemoryResponseStore(size: .megabytes(8))
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    bench.stub(
      .cached("one", "max-age=60", [.eTag: "\"a\""]),
      .status(.notModified).field(.eTag, "\"a\"").field(.cacheControl, "max-age=90"))
    _ = await bench.get()
    await bench.advance(by: .seconds(70))
    #expect(await bench.get().text == "one")
    await bench.session.finishBackgroundTasks()
    #expect(try await store.responses(for: CacheBench.url).first?.record.retention == .seconds(90 + Self.week))
  }

  private static func retention(
    _ reply: MockReply, _ change: (DataRequest) -> DataRequest = { $0 }
  ) async throws -> Duration? {
    let store = MemoryResponseStore(size: .megabytes(8))
    let bench = try CacheBench(cache: HTTPCache(store: store, hashKey: CacheBench.key))
    bench.stub(reply)
    _ = await change(bench.session.request(CacheBench.url)).serializingString().response
    await bench.session.finishBackgroundTasks()
    return try await store.responses(for: CacheBench.url).first?.record.retention
  }

  private static func fields(_ values: [String: String]) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in values { if let name = HTTPField.Name(name) { fields[name] = value } }
    return fields
  }
}
