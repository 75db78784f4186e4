import HTTPTypes
package import LupineCore
import LupineFixtures
import LupineTesting

/// Exchanges with a scripted server, each of which is cancelled at a random moment or not at all.
///
/// Tests compare the resources of the process before and after the load.
package struct CancelledLoad: Sendable {
  private let server: ScriptedServer
  private let bodies: [RequestBody]
  private let makeTransport: @Sendable () -> any Transport

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - bodies: the bodies of the requests, from which each request takes one at random.
  ///   - makeTransport: makes the transport of one load.
  package init(bodies: [RequestBody], _ makeTransport: @escaping @Sendable () -> any Transport) throws {
    server = try ScriptedServer(handler: Self.reply)
    self.bodies = bodies
    self.makeTransport = makeTransport
  }

  /// The number of requests that the server has received.
  package var receivedCount: Int { server.requests.count }

  /// Makes requests with a new transport, shuts the transport down, and waits until the server has no connection.
  ///
  /// - Parameters:
  ///   - workers: the number of tasks that make requests at the same time.
  ///   - requests: the number of requests of each task.
  package func run(workers: Int, requests: Int) async throws {
    let transport = makeTransport()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<workers {
        group.addTask { await work(seed: Seeds.first &+ UInt64(worker), requests, transport) }
      }
    }
    await transport.shutdown()
    try await server.waitForOpenConnections(0)
  }

  private static func reply(_ request: ReceivedHTTPRequest) -> ScriptedReply {
    switch request.path {
    case "/chunks": .chunked([[1, 2, 3], [4, 5]])
    case "/stall": .stall(afterBytes: 2)
    case "/close": .closeBeforeHead
    default: .respond(body: .text("hello"))
    }
  }

  private enum Moment: CaseIterable { case atOnce, later, connected, head, piece, never }

  /// Makes requests, and cancels each at a random moment, or not at all if the server completes its response.
  private func work(seed: UInt64, _ count: Int, _ transport: any Transport) async {
    var random = SplitMix(seed: seed)
    for _ in 0..<count {
      let moment = Moment.allCases.randomElement(using: &random) ?? .atOnce
      var paths = ["/", "/chunks", "/close"]
      if moment != .never { paths.append("/stall") }
      let path = paths.randomElement(using: &random) ?? "/"
      let body = bodies.randomElement(using: &random) ?? .none
      let isStreamed = moment == .piece || Bool.random(using: &random)
      let sink = isStreamed ? BodySink.stream(window: 1) : .collect(limit: 100)
      await exchange(server.url + path, body, sink, cancelling: moment, transport)
    }
  }

  private func exchange(
    _ url: String, _ body: RequestBody, _ sink: BodySink, cancelling moment: Moment, _ transport: any Transport
  ) async {
    let control = ExchangeControl()
    let cancel: @Sendable (Moment) -> Void = { now in
      if now == moment { control.cancel(LupineError(.cancelled, "At random.")) }
    }
    let canceller = Task {
      cancel(.atOnce)
      for _ in 0..<50 { await Task.yield() }
      cancel(.later)
    }
    let context = TransferContext(
      id: RequestID(1), connectTimeout: .seconds(10), control: control,
      events: { if case .connected = $0 { cancel(.connected) } },
      sink: { _ in
        cancel(.head)
        return sink
      })
    do throws(LupineError) {
      let request = OutgoingRequest(url: try HTTPURL(url), method: .post, body: body)
      let response = try await transport.send(request, in: context)
      _ = try await response.body.next()
      cancel(.piece)
      while try await response.body.next() != nil {}
    } catch {
      // The exchange may succeed or fail; the test checks only that its resources are freed.
    }
    await canceller.value
  }
}
