import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

/// Adapters, retriers and interceptors that are closures.
@Suite struct ClosurePoliciesTests {
  private let bench = TestBed { mock in
    mock.stub(.get, "/{any...}", .sequence([.status(.serviceUnavailable), .text("hello")]))
  }

  @Test func `closures of a session adapt, retry and intercept`() async throws {
    let notes = Notes<String>()
    let session = try bench.session { builder in
      builder.adapter { request, session in
        notes.add("adapt")
        request.headers["X-Trace"] = session.baseURL?.description ?? "none"
      }
      .retrier { attempt in attempt.response?.status == .serviceUnavailable ? .retry : .doNotRetry }
      .interceptor { request, context, next in
        notes.add("attempt \(context.attempt)")
        return try await next(request)
      }
    }
    #expect(try await session.request(TestBed.url).serializingString().value == "hello")
    #expect(notes.all == ["adapt", "attempt 1", "adapt", "attempt 2"])
    #expect(bench.mock.requests.map { $0.headers["X-Trace"] } == ["none", "none"])
  }

  @Test func `closures of a request come after those of its session`() async throws {
    let notes = Notes<String>()
    let session = try bench.session { $0.adapter { _, _ in notes.add("session") } }
    let request = session.request(TestBed.url)
      .adapter { _, _ in notes.add("request") }
      .retrier { attempt in attempt.number < 3 ? .retry(after: .seconds(1)) : .doNotRetry }
      .interceptor { request, _, next in
        notes.add("send")
        return try await next(request)
      }
    #expect(try await request.serializingString().value == "hello")
    #expect(notes.all == ["session", "request", "send", "session", "request", "send"])
  }

  @Test func `an error of a closure ends the request`() async throws {
    struct Refusal: Error {}
    let session = try bench.session()
    let adapted = session.request(TestBed.url).adapter { _, _ in throw Refusal() }
    let error = await adapted.serializingString().response.error
    #expect(error?.kind == .adaptationFailed)
    #expect(error?.underlying is Refusal)
    let refused = session.request(TestBed.url).validate().retrier { _ in .fail(LupineError(.other, "enough")) }
    #expect(await refused.serializingString().response.error?.message.contains("enough") == true)
  }
}
