// The five protocols of the core, each implemented in a few lines, and the examples of the doc comments.

import Foundation
import HTTPTypes
import Lupine
import LupineMock
// snippet.hide
import LupineTesting
// snippet.show

struct EchoTransport: Transport {
  var capabilities: TransportCapabilities { [] }

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    context.emit(.sent(bytes: 0))
    let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
    return TransportResponse(head: head, body: context.makeBody(for: head, content: Data("\(request.url)".utf8)))
  }

  func shutdown() async {}
}

struct MergePatchEncoder: ParameterEncoder {
  func encode(
    _ parameters: some Encodable & Sendable, into request: OutgoingRequest
  ) throws -> OutgoingRequest {
    var request = request
    request.body = .bytes(try JSONEncoder().encode(parameters))
    request.headers[.contentType] = "application/merge-patch+json"
    return request
  }
}

struct LineCountSerializer: ResponseSerializer {
  func serialize(_ response: ReceivedResponse) throws -> Int {
    response.data.split(separator: UInt8(ascii: "\n")).count
  }
}

struct LeafEvaluator: TrustEvaluator {
  struct OtherCertificate: Error {}
  let leaf: Data

  func evaluate(_ trust: ServerTrust) throws {
    guard trust.presentedChain.first == leaf else { throw OtherCertificate() }
  }
}

/// Names the server of each response.
enum ServerName: ResponseAttributeKey {
  typealias Value = String
}

struct ServerLayer: ExchangeLayer {
  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    var response = try await next(request, in: context)
    response.attributes[ServerName.self] = response.head.headerFields[.server]
    return response
  }
}

/// Calls a closure with the status of each response.
struct ObservedTransport: WrappingTransport {
  let base: any Transport
  let observe: @Sendable (Int) -> Void

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let response = try await base.send(request, in: context)
    observe(response.head.status.code)
    return response
  }
}

/// Passes the links of interim responses to a closure.
struct HintsLayer: ExchangeLayer {
  let hints: @Sendable (HTTPResponse) -> Void

  func send(
    _ request: OutgoingRequest, in context: TransferContext, next: NextExchange
  ) async throws(LupineError) -> TransportResponse {
    let observed = context.observing { event in
      if case .informational(let head) = event { hints(head) }
    }
    return try await next(request, in: observed)
  }
}

struct BusyRetrier: Retrier {
  func decision(for attempt: AttemptOutcome) async -> RetryDecision {
    guard attempt.response?.status == .serviceUnavailable, attempt.retries < 3 else { return .doNotRetry }
    return .retry(after: .seconds(1))
  }
}

// snippet.hide
let echo = try await Session.Builder().transport(EchoTransport()).build().request("https://example.com/a")
  .serializingString().value
guard echo == "https://example.com/a" else { fatalError("The transport answered \(echo).") }
let mock = MockTransport()
mock.stub(.patch, "/users/1", .sequence([.status(.serviceUnavailable), .text("a\nb\nc")]))
// snippet.show
let session = try Session.Builder().transport(mock).baseURL("https://example.com").retrier(BusyRetrier()).build()
let lines = try await session.request(
  "users/1", method: .patch, parameters: ["name": "Ada"], encoder: MergePatchEncoder()
).serializingResponse(using: LineCountSerializer()).value
print("\(lines) lines")

// snippet.hide
guard lines == 3, mock.requests.last?.headers[.contentType] == "application/merge-patch+json" else {
  fatalError("\(mock.requests)")
}

func imitated() async throws {
  try await TransportOverride.wrapping({ mock.imitating($0) }) {
    // Sessions that are built here are answered by the mock.
    let session = try Session.Builder().transport(.native).tlsVersions(minimum: .tls1_3).build()
    print(session)
  }
}

func adapted() throws {
  let builder = Session.Builder().adapter { request, _ in request.headers["X-Trace"] = "42" }
  print(try builder.transport(mock).build())
}

func monitored() throws {
  let exchanges = ExchangeLogMonitor()
  let session = try Session.Builder().transport(.native).monitor(exchanges).build()
  print(session, exchanges)
}

func guarded() throws {
  let builder = Session.Builder().transport(.native)
    .networkPolicy(.publicInternetOnly.allowing("10.20.0.0/16"))
  print(try builder.build())
}

func scripted() throws {
  let gate = Gate()
  let server = try ScriptedServer { _ in
    [.head(status: 200, fields: ["Content-Length": "2"]), .wait(gate), .body([1, 2])]
  }
  server.stop()
}

func answering() throws {
  let server = try ScriptedServer { request in
    .respond(fields: ["Content-Type": "text/plain"], body: .text("You asked for \(request.path)."))
  }
  server.stop()
}
