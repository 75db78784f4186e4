import FoundationEssentials
import HTTPTypes
import LupineMock
import Synchronization
import Testing

@testable import LupineCore
@testable import LupineSession

/// Runs a job after each exchange.
private struct JobLayer: ExchangeLayer {
  typealias Job = @Sendable (OutgoingRequest, TransferContext, NextExchange) -> Void

  let job: Job

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let response = try await next(request, in: context)
    job(request, context, next)
    return response
  }
}

extension Session.Builder {
  fileprivate func job(_ job: @escaping JobLayer.Job) -> Self {
    exchangeLayer("job") { JobLayer(job: job) }
  }
}

/// A transport that answers the first request and leaves the second one without a response.
private func answeringOnce(_ asked: Flag) -> ClosureTransport {
  let asks = Counter()
  return ClosureTransport { _, context throws(LupineError) in
    if asks.next() == 1 { return context.answer(200, [:], "first") }
    return try await context.hang(asked)
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

@Suite struct BackgroundTaskTests {
  @Test(arguments: [false, true])
  func `the end of a session waits a second for an awaited task, and for no other`(isShutDown: Bool) async throws {
    try await withSimulation { world in
      let mock = MockTransport()
      mock.stub(.get, "/{any...}", .text("text"))
      let notes = Notes<String>()
      let session = try Session.Builder().transport(mock).job { request, context, _ in
        let isAwaited = request.url.path != "/other"
        let time = Duration.milliseconds(request.url.path == "/short" ? 400 : 5_000)
        context.startBackgroundTask(isAwaited: isAwaited) { _ in
          let isOver = (try? await world.sleep(for: time)) != nil
          notes.add("\(request.url.path) \(isOver ? "ended" : "cancelled")")
        }
      }.build()
      for path in ["short", "long", "other"] {
        _ = await session.request("https://example.com/" + path).serializingString().response
      }
      let start = world.clock.now
      if isShutDown { await session.shutdown() } else { await session.finishRequests() }
      try world.expect(start.duration(to: world.clock.now) == .seconds(1), "the wait was another one")
      let expected = isShutDown ? ["/other cancelled", "/short ended", "/long cancelled"] : ["/short ended"]
      try world.expect(notes.all == expected, "\(notes.all)")
      await session.shutdown()
    }
  }

  @Test func `a layer's task sends a request below it after its request has ended`() async throws {
    let bench = TestBed(.sequence([.text("first"), .text("second")]))
    let (go, texts) = (Flag(), Notes<String>())
    let session = try bench.session {
      $0.job { request, context, next in
        context.startBackgroundTask { task in
          await go.raised()
          guard let response = try? await task.send(request, through: next) else { return }
          response.body.open(.collect(limit: task.limits.responseBody))
          texts.add(String(decoding: (try? await response.body.end().data) ?? Data(), as: UTF8.self))
        }
      }
    }
    #expect(try await session.request(TestBed.url).serializingString().value == "first")
    let events = bench.log.all.count
    go.raise()
    await session.finishBackgroundTasks()
    #expect(texts.all == ["second"])
    #expect(bench.mock.requests.count == 2)
    // A background task emits no events.
    #expect(bench.log.all.count == events)
  }

  @Test func `a cancelled request does not cancel the task that it started`() async throws {
    let (began, go, ends) = (Flag(), Flag(), Notes<Bool>())
    let session = try Session.Builder().transport(
      ClosureTransport { _, context throws(LupineError) in
        context.startBackgroundTask { _ in
          await go.raised()
          ends.add(Task.isCancelled)
        }
        return try await context.hang(began)
      }
    ).build()
    let request = session.request(TestBed.url)
    async let response = request.serializingData().response
    await began.raised()
    request.cancel()
    #expect(await response.error?.kind == .cancelled)
    go.raise()
    await session.finishBackgroundTasks()
    #expect(ends.all == [false])
  }

  @Test func `a shutdown cancels tasks, waits for their end and refuses new ones`() async throws {
    let asked = Flag()
    let (kinds, contexts, late) = (Notes<LupineError.Kind?>(), Notes<TransferContext>(), Notes<Bool>())
    let session = try Session.Builder().transport(answeringOnce(asked)).job { request, context, next in
      contexts.add(context)
      context.startBackgroundTask { task in
        do throws(LupineError) {
          _ = try await task.send(request, through: next)
        } catch {
          kinds.add(error.kind)
        }
        do throws(LupineError) {
          _ = try await task.send(request, through: next)
        } catch {
          kinds.add(error.kind)
        }
        late.add(Task.isCancelled)
      }
    }.build()
    _ = try await session.request(TestBed.url).serializingString().value
    await asked.raised()
    await session.shutdown()
    #expect(kinds.all == [.sessionShutDown, .sessionShutDown])
    #expect(late.all == [true])
    #expect(contexts.all.first?.startBackgroundTask { _ in late.add(false) } == false)
    #expect(!session.startBackgroundTask { late.add(false) })
    await session.finishBackgroundTasks()
    #expect(late.all == [true])
  }

  @Test func `a task does not keep its session alive, and is cancelled with it`() async throws {
    weak var observed: Session?
    let (asked, end) = (Flag(), Flag())
    let kinds = Notes<LupineError.Kind?>()
    do {
      let session = try Session.Builder().transport(answeringOnce(asked)).job { request, context, next in
        context.startBackgroundTask { task in
          do throws(LupineError) {
            _ = try await task.send(request, through: next)
          } catch {
            kinds.add(error.kind)
          }
          end.raise()
        }
      }.build()
      observed = session
      _ = try await session.request(TestBed.url).serializingString().value
      await asked.raised()
    }
    await end.raised()
    #expect(observed == nil)
    #expect(kinds.all == [.sessionShutDown])
  }

  @Test(
    arguments: [
      (Timeouts(idle: .seconds(3)), .idle), (Timeouts(idle: nil, total: .seconds(3)), .total),
      (Timeouts(idle: .seconds(9), total: .seconds(8), attempt: .seconds(2)), .total),
    ] as [(timeouts: Timeouts, ending: LupineError.Timeout)])
  func `an exchange in the background has timeouts`(
    bound: (timeouts: Timeouts, ending: LupineError.Timeout)
  ) async throws {
    let asked = Flag()
    let clock = TestClock()
    let kinds = Notes<LupineError.Kind?>()
    let times = bound.timeouts
    let session = try Session.Builder().transport(answeringOnce(asked)).clock(clock)
      .timeouts(idle: times.idle, total: times.total, attempt: times.attempt)
      .job { request, context, next in
        context.startBackgroundTask { task in
          do throws(LupineError) {
            _ = try await task.send(request, through: next)
          } catch {
            kinds.add(error.kind)
          }
        }
      }.build()
    _ = try await session.request(TestBed.url).serializingString().value
    await asked.raised()
    clock.advance(by: .seconds(3))
    await session.finishBackgroundTasks()
    #expect(kinds.all == [.timedOut(bound.ending)])
  }

  @Test func `the request's own timeouts bound the exchange in the background`() async throws {
    let asked = Flag()
    let clock = TestClock()
    let kinds = Notes<LupineError.Kind?>()
    let session = try Session.Builder().transport(answeringOnce(asked)).clock(clock).job { request, context, next in
      context.startBackgroundTask { task in
        do throws(LupineError) {
          _ = try await task.send(request, through: next)
        } catch {
          kinds.add(error.kind)
        }
      }
    }.build()
    var description = try OutgoingRequest(TestBed.url)
    description.options.timeouts = Timeouts(idle: .seconds(1))
    _ = try await session.request(description).serializingString().value
    await asked.raised()
    clock.advance(by: .seconds(1))
    await session.finishBackgroundTasks()
    #expect(kinds.all == [.timedOut(.idle)])
  }

  @Test func `an exchange that the operation leaves running ends with it`() async throws {
    let ended = Flag()
    let left = Notes<ResponseBody>()
    let bodies = Notes<ResponseBodyWriter>()
    let session = try Session.Builder().transport(
      ClosureTransport { request, context throws(LupineError) in
        if request.method == .get { return context.answer(200, [:], "hello") }
        let (response, writer) = context.begin()
        bodies.add(writer)
        context.onCancel {
          writer.fail(LupineError(.cancelled, ""), metrics: TransferMetrics())
          ended.raise()
        }
        return response
      }
    ).job { request, context, next in
      context.startBackgroundTask { task in
        var request = request
        request.method = .post
        if let response = try? await task.send(request, through: next) { left.add(response.body) }
      }
    }.build()
    _ = try await session.request(TestBed.url).serializingData().value
    await ended.raised()
    await session.finishBackgroundTasks()
    let body = try #require(left.all.first)
    await #expect(throws: LupineError.self) { try await body.end() }
  }

  @Test func `a cancelled subtask ends its exchange alone`() async throws {
    let asked = Flag()
    let kinds = Notes<LupineError.Kind?>()
    let session = try Session.Builder().transport(answeringOnce(asked)).job { request, context, next in
      context.startBackgroundTask { task in
        let sending = Task {
          do throws(LupineError) {
            _ = try await task.send(request, through: next)
          } catch {
            kinds.add(error.kind)
          }
        }
        await asked.raised()
        sending.cancel()
        await sending.value
        kinds.add(Task.isCancelled ? .other : nil)
      }
    }.build()
    _ = try await session.request(TestBed.url).serializingString().value
    await session.finishBackgroundTasks()
    #expect(kinds.all == [.cancelled, nil])
  }

  @Test func `the exchange has the connection properties of the one that started the task, and its own sink`()
    async throws
  {
    let contexts = Notes<TransferContext>()
    let pieces = Notes<[UInt8]>()
    let proxy = try Proxy("http://proxy.example:8080")
    let session = try Session.Builder().transport(
      ClosureTransport(capabilities: [.proxies]) { _, context throws(LupineError) in
        contexts.add(context)
        return context.answer(200, [:], "hello")
      }
    ).proxy(proxy).job { request, context, next in
      context.startBackgroundTask { task in
        let response = try? await task.send(request, through: next)
        response?.body.open(.stream(window: 10))
        while let piece = try? await response?.body.next() { pieces.add(piece) }
      }
    }.build()
    _ = try await session.request(TestBed.url).serializingData().value
    await session.finishBackgroundTasks()
    #expect(contexts.all.count == 2)
    #expect(contexts.all.first?.connectionKey == contexts.all.last?.connectionKey)
    #expect(contexts.all.last?.connectionKey.proxy == proxy)
    #expect(pieces.all == [Array("hello".utf8)])
  }

  @Test func `a session's own task is not bound by the deadline of the task that started it`() async throws {
    let session = try TestBed().session()
    let texts = Notes<String>()
    let go = Flag()
    let isStarted = await Session.withDeadline(VirtualInstant()) {
      session.startBackgroundTask { [weak session] in
        await go.raised()
        texts.add((try? await session?.request(TestBed.url).serializingString().value) ?? "")
      }
    }
    #expect(isStarted)
    go.raise()
    await session.finishBackgroundTasks()
    #expect(texts.all == ["hello"])
  }

  @Test(arguments: UInt64(0)..<20)
  func `whatever the order, no task outlives a shutdown`(seed: UInt64) async throws {
    try await withSimulation(seed: seed) { world in
      let running = Counter()
      let (begun, done) = (Notes<Int>(), Notes<Int>())
      let session = try Session.Builder().transport(.mock { $0.stub(.get, "/", .text("x").delay(.seconds(1))) })
        .job { request, context, next in
          context.startBackgroundTask { task in
            let number = running.next()
            begun.add(number)
            let body = try? await task.send(request, through: next).body
            body?.open(.collect(limit: 10))
            _ = try? await body?.end()
            done.add(number)
          }
        }.build()
      for _ in 0..<5 { session.request("https://example.com/").responseData { _ in } }
      try await world.sleep(for: .seconds(1))
      await session.shutdown()
      try world.expect(begun.all.sorted() == done.all.sorted(), "\(begun.all) began, \(done.all) ended")
    }
  }
}
