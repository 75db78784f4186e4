import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineCurl
import LupineFixtures

/// Makes exchanges through its own transport, in the place of a session.
struct Client: Sendable {
  let transport: CurlTransport
  var limits = Limits()
  var connectTimeout: Duration? = .seconds(10)
  var connectionKey = ConnectionKey()

  init(_ configuration: CurlTransport.Configuration = CurlTransport.Configuration()) {
    self.init(CurlTransport(configuration))
  }

  init(_ transport: CurlTransport) { self.transport = transport }

  /// A client that trusts the certificates of the peers.
  static func trusting() -> Client {
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorities = Fixture.path("Certificates/root.pem")
    return Client(configuration)
  }

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
    _ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    change: (inout OutgoingRequest) -> Void = { _ in }
  ) async -> LupineError? {
    do {
      _ = try await fetch(url, method: method, headers: headers, body: body, change: change)
      return nil
    } catch {
      return error as? LupineError
    }
  }

  func context(
    control: ExchangeControl = ExchangeControl(), log: EventLog = EventLog(), sink: BodySink = .collect(limit: 64 << 20)
  ) -> TransferContext {
    TransferContext(
      id: RequestID(1), connectTimeout: connectTimeout, limits: limits, connectionKey: connectionKey, control: control,
      events: { log.append($0) }, sink: { _ in sink })
  }
}

/// A response whose body has ended.
struct Fetched: Sendable {
  let head: HTTPResponse
  let end: BodyEnd

  var text: String { String(decoding: end.data, as: UTF8.self) }
  var status: Int { head.status.code }
}
