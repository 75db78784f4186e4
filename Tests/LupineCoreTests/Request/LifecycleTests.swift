import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct LifecycleTests {
  @Test func `a request alone starts nothing`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    _ = session.request(TestBed.url).validate()
    await session.finishRequests()
    #expect(bench.mock.requests.isEmpty)
    #expect(bench.log.all.isEmpty)
  }

  @Test func `a handler starts it`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    session.request(TestBed.url).response { _ in }
    await session.finishRequests()
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `resume starts it without a handler`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    session.request(TestBed.url).resume()
    await session.finishRequests()
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `with startsImmediately off it waits for resume`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.startsImmediately(false) }
    let notes = Notes<String>()
    let request = session.request(TestBed.url).responseString { notes.add($0.value ?? "") }
    await session.finishRequests()
    #expect(bench.mock.requests.isEmpty)
    request.resume().resume().resume()
    await session.finishRequests()
    #expect(notes.all == ["hello"])
    #expect(bench.mock.requests.count == 1)
  }

  @Test func `a suspended request that is awaited continues at resume`() async throws {
    let bench = TestBed()
    let request = try bench.session { $0.startsImmediately(false) }.request(TestBed.url)
    async let value = request.serializingString().value
    request.resume()
    #expect(try await value == "hello")
  }

  @Test func `suspended before its start, it starts at resume`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    let request = session.request(TestBed.url).suspend().responseString { _ in }
    await session.finishRequests()
    #expect(bench.mock.requests.isEmpty)
    request.resume()
    await session.finishRequests()
    #expect(bench.mock.requests.count == 1)
    #expect(bench.log.names.prefix(3) == ["suspended", "resumed", "started"])
  }

  @Test func `suspended while an adapter works, it sends nothing before resume`() async throws {
    let bench = TestBed()
    let adapter = Pausing()
    let session = try bench.session { $0.adapter(adapter) }
    let request = session.request(TestBed.url)
    async let value = request.serializingString().value
    await adapter.begun.raised()
    request.suspend()
    let held = Flag()
    adapter.goOn.raise()
    await adapter.ended.raised()
    held.raise()
    #expect(bench.mock.requests.isEmpty)
    request.resume()
    #expect(try await value == "hello")
  }

  @Test func `a request that is suspended while it receives reads nothing before resume`() async throws {
    let begun = Flag()
    let resumed = Flag()
    let goOn = Flag()
    let firstFlow = Flag()
    let flows = Notes<ResponseBodyWriter.Flow>()
    let session = try Session.Builder().transport(
      ClosureTransport { _, context throws(LupineError) in
        let (body, writer) = context.makeBody(for: HTTPResponse(status: .ok)) { resumed.raise() }
        Task {
          begun.raise()
          await goOn.raised()
          var bytes: [UInt8] = [0x78]
          flows.add((try? writer.write(&bytes)) ?? .proceed)
          firstFlow.raise()
          await resumed.raised()
          flows.add((try? writer.write(&bytes)) ?? .pause)
          writer.finish(metrics: TransferMetrics())
        }
        return TransportResponse(head: HTTPResponse(status: .ok), body: body)
      }
    ).build()
    let request = session.request(TestBed.url)
    async let value = request.serializingString().value
    await begun.raised()
    request.suspend()
    goOn.raise()
    await firstFlow.raised()
    request.resume()
    #expect(try await value == "xx")
    #expect(flows.all == [.pause, .proceed])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a reader that waits while its request is suspended continues when the connection is lost`() async throws {
    let (begun, lost) = (Flag(), Flag())
    let session = try Session.Builder().transport(
      ClosureTransport { _, context throws(LupineError) in
        let (response, writer) = context.begin()
        Task {
          begun.raise()
          await lost.raised()
          writer.fail(LupineError(.connectionLost, ""), metrics: TransferMetrics())
        }
        return response
      }
    ).build()
    let request = session.request(TestBed.url)
    async let response = request.serializingData().response
    await begun.raised()
    request.suspend()
    let reader = Task.immediate { try await request.execution.waitWhileSuspended() }
    lost.raise()
    #expect(await response.error?.kind == .connectionLost)
    try await reader.value
    await session.finishRequests()
  }

  @Test func `suspend and resume after the end change nothing and emit no event`() async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url)
    _ = try await request.serializingData().value
    let count = bench.log.all.count
    request.suspend().resume().cancel()
    #expect(bench.log.all.count == count)
    #expect(try await request.serializingString().value == "hello")
  }

  @Test func `a request cancelled before its start ends without being sent`() async throws {
    let bench = TestBed()
    let session = try bench.session()
    let notes = Notes<LupineError.Kind?>()
    let request = session.request(TestBed.url).cancel()
    request.response { notes.add($0.error?.kind) }
    #expect(await request.serializingData().response.error?.kind == .cancelled)
    await session.finishRequests()
    #expect(bench.mock.requests.isEmpty)
    #expect(bench.log.finishedCount == 1)
  }

  @Test func `awaited in a cancelled task, it ends without being sent`() async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await request.serializingData().response.error?.kind
    }
    #expect(await task.value == .cancelled)
    #expect(bench.mock.requests.isEmpty)
  }

  @Test func `copies are the same request`() async throws {
    let bench = TestBed()
    let request = try bench.session().request(TestBed.url)
    let copy = request
    _ = try await copy.serializingData().value
    _ = try await request.serializingString().value
    #expect(bench.mock.requests.count == 1)
    #expect(copy.id == request.id)
  }
}

/// An adapter that waits until the test raises `goOn`.
struct Pausing: RequestAdapter {
  let begun = Flag()
  let goOn = Flag()
  let ended = Flag()

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    begun.raise()
    await goOn.raised()
    defer { ended.raise() }
    try Task.checkCancellation()
    return request
  }
}
