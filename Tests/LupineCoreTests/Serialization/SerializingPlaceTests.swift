import Glibc
import LupineCoding
import LupineCore
import LupineMock
import LupineSession
import Testing

@MainActor @Suite struct SerializingPlaceTests {
  /// Without a monitor, `value` takes a shorter code path than `response`.
  @Test(arguments: [false, true])
  func `a value is made off the caller's actor, watched or not`(isWatched: Bool) async throws {
    let mock = MockTransport(keepsLog: isWatched)
    mock.stub(.get, "https://example.com/", .text("hello"))
    let session = try Session.Builder().transport(mock).build()
    let here = pthread_self()
    let serializer = ClosureResponseSerializer { _ in pthread_equal(pthread_self(), here) == 0 }
    let isElsewhere = try await session.request("https://example.com/").serializingResponse(using: serializer).value
    #expect(isElsewhere)
  }

  @Test func `a serializer that the retriers decide about runs off the caller's actor, also for a retry`() async throws
  {
    let mock = MockTransport(keepsLog: false)
    mock.stub(.get, "https://example.com/", .sequence([.text("no"), .text("hello")]))
    let session = try Session.Builder().transport(mock).retrier(Always()).build()
    let here = pthread_self()
    let isElsewhere = Notes<Bool>()
    let serializer = ClosureResponseSerializer { response in
      isElsewhere.add(pthread_equal(pthread_self(), here) == 0)
      guard response.data.count > 2 else { throw LupineError(.serializationFailed, "The body is too short.") }
    }
    try await session.request("https://example.com/").serializingResponse(using: serializer).value
    #expect(isElsewhere.all == [true, true])
  }
}
