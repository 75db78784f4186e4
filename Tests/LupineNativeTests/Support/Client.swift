import HTTPTypes
import LupineCore
import LupineNative
import LupineTesting
import Synchronization

/// Makes exchanges through its own transport, in the place of a session.
struct Client: Sendable {
  let transport: NativeTransport
  var connectTimeout: Duration? = .seconds(10)
  var connectionKey = ConnectionKey()
  var options = ConnectionOptions()

  init(_ configuration: NativeTransport.Configuration = NativeTransport.Configuration()) {
    self.init(NativeTransport(configuration))
  }

  init(_ transport: NativeTransport) { self.transport = transport }

  /// Sends a request and waits for the end of the response's body.
  func fetch(
    _ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    log: EventLog = EventLog(), change: (inout OutgoingRequest) -> Void = { _ in }
  ) async throws -> Fetched {
    var request = try OutgoingRequest(url: HTTPURL(url), method: method, headers: headers, body: body)
    change(&request)
    let response = try await transport.send(request, in: context(log: log))
    return Fetched(head: response.head, end: try await response.body.end())
  }

  /// Sends a request that should fail, and returns its error; `nil` if the request succeeds.
  func failure(
    _ url: String, method: HTTPRequest.Method = .get, body: RequestBody = .none,
    control: ExchangeControl = ExchangeControl(), log: EventLog = EventLog(),
    change: (inout OutgoingRequest) -> Void = { _ in }
  ) async -> LupineError? {
    do throws(LupineError) {
      var request = OutgoingRequest(url: try HTTPURL(url), method: method, body: body)
      change(&request)
      let response = try await transport.send(request, in: context(control: control, log: log))
      _ = try await response.body.end()
      return nil
    } catch {
      return error
    }
  }

  func context(
    control: ExchangeControl = ExchangeControl(), log: EventLog = EventLog(), sink: BodySink = .collect(limit: 64 << 20)
  ) -> TransferContext {
    TransferContext(
      id: RequestID(1), connectTimeout: connectTimeout, connectionKey: connectionKey, connections: options,
      control: control, events: { log.append($0) }, sink: { _ in sink })
  }
}

/// A response whose body has ended.
struct Fetched: Sendable {
  let head: HTTPResponse
  let end: BodyEnd

  var text: String { String(decoding: end.data, as: UTF8.self) }
}

/// Keeps the events that a transport emits.
final class EventLog: Sendable {
  private let events = Mutex<[SessionEvent.Kind]>([])
  private let onAppend: @Sendable (SessionEvent.Kind) -> Void

  init(onAppend: @escaping @Sendable (SessionEvent.Kind) -> Void = { _ in }) { self.onAppend = onAppend }

  func append(_ event: SessionEvent.Kind) {
    events.withLock { $0.append(event) }
    onAppend(event)
  }

  /// The addresses of the connections.
  var addresses: [String] {
    events.withLock { $0 }.compactMap { if case .connected(let address, _) = $0 { address } else { nil } }
  }

  /// The names that were looked up.
  var lookups: [String] {
    events.withLock { $0 }.compactMap { if case .nameResolved(let host, _) = $0 { host } else { nil } }
  }

  /// The status codes with which proxies have opened tunnels.
  var tunnels: [Int] {
    events.withLock { $0 }.compactMap { if case .tunnelled(let head) = $0 { head.status.code } else { nil } }
  }

  /// The details of the TLS connections.
  var secured: [TLSDetails] {
    events.withLock { $0 }.compactMap { if case .secured(let details) = $0 { details } else { nil } }
  }

  var reused: [Bool] {
    events.withLock { $0 }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }
}
