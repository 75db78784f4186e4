import FoundationEssentials
import HTTPTypes
import LupineCore
import Synchronization

/// What a check sets for one exchange.
struct ExchangeSettings: Sendable {
  var sink = BodySink.collect(limit: 64 << 20)
  var limits = Limits()
  var identity = SecurityIdentity()
  var proxyAuthorization: String?
  var connectTimeout: Duration?
  var control = TransferControl()
  var onEvent: @Sendable (SessionEvent.Kind) -> Void = { _ in }
}

extension ConformanceStage {
  func request(
    _ path: String = "/", method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Body = .none
  ) throws -> OutgoingRequest {
    OutgoingRequest(url: try HTTPURL(peer.url + path), method: method, headers: headers, body: body)
  }

  /// Sends a request and returns at its head.
  func send(_ request: OutgoingRequest, _ settings: ExchangeSettings = ExchangeSettings()) async throws
    -> StagedExchange
  {
    try peer.prepare(for: request)
    let number = enter(settings.control)
    let log = ExchangeLog()
    var context = TransferContext(
      id: RequestID(UInt64(number)), connectTimeout: settings.connectTimeout, limits: settings.limits,
      identity: settings.identity, control: settings.control,
      events: { event in
        log.append(event)
        settings.onEvent(event)
      },
      sink: { head in
        log.sinkWasAsked(head)
        return settings.sink
      })
    context.proxyAuthorization = settings.proxyAuthorization
    let name = "\(request.method.rawValue) \(request.url.requestTarget)"
    do throws(LupineError) {
      let response = try await transport.send(request, in: context)
      return StagedExchange(
        stage: self, name: name, head: response.head, body: response.body, source: response.source, log: log)
    } catch {
      note("\(name) failed without a head: \(error.kind)")
      throw error
    }
  }

  /// Sends a request and waits for the end of its body.
  func fetch(_ request: OutgoingRequest, _ settings: ExchangeSettings = ExchangeSettings()) async throws
    -> FetchedResponse
  {
    let exchange = try await send(request, settings)
    return FetchedResponse(
      head: exchange.head, end: try await exchange.end(), source: exchange.source, log: exchange.log)
  }

  /// Sends a GET for the root, or what is said, and waits for the end of its body.
  func fetch(
    _ path: String = "/", method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Body = .none,
    with settings: ExchangeSettings = ExchangeSettings()
  ) async throws -> FetchedResponse {
    try await fetch(request(path, method: method, headers: headers, body: body), settings)
  }
}

/// An exchange whose head has arrived.
struct StagedExchange: Sendable {
  let stage: ConformanceStage
  let name: String
  let head: HTTPResponse
  let body: IncomingBody
  let source: TransportResponse.Source
  let log: ExchangeLog

  /// Waits for the end of the body and puts the exchange on record.
  func end() async throws(LupineError) -> BodyEnd {
    let interim = log.informational.map { "after \(Normal.text($0)) " }.joined()
    let title = "\(name) brought \(interim)\(Normal.text(head))"
    do throws(LupineError) {
      let end = try await body.end()
      stage.note("\(title) \(Normal.text(end))")
      return end
    } catch {
      stage.note("\(title) and failed: \(error.kind)")
      throw error
    }
  }

  /// Takes all pieces of a streamed body.
  func takeAll() async throws(LupineError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await body.next() { bytes += piece }
    return bytes
  }
}

/// A response whose body has ended.
struct FetchedResponse: Sendable {
  let head: HTTPResponse
  let end: BodyEnd
  let source: TransportResponse.Source
  let log: ExchangeLog

  var status: Int { head.status.code }
  var text: String { String(decoding: end.data, as: UTF8.self) }
  var fields: [String] { RawFields(head.headerFields).map(\.description) }
}

/// What a transport told while it worked.
final class ExchangeLog: Sendable {
  private let state = Mutex<(events: [SessionEvent.Kind], heads: [HTTPResponse])>(([], []))

  func append(_ event: SessionEvent.Kind) { state.withLock { $0.events.append(event) } }

  func sinkWasAsked(_ head: HTTPResponse) { state.withLock { $0.heads.append(head) } }

  /// The heads for which a sink was asked.
  var heads: [HTTPResponse] { state.withLock { $0.heads } }

  var informational: [HTTPResponse] {
    state.withLock { $0.events }.compactMap { if case .informational(let head) = $0 { head } else { nil } }
  }

  var reused: [Bool] {
    state.withLock { $0.events }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }
}
