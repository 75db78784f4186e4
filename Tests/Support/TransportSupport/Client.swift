import FoundationEssentials
package import HTTPTypes
package import LupineCore
package import LupineCurl
import LupineFixtures

/// Makes exchanges through its own transport, without a session.
package struct Client: Sendable {
  package let transport: any Transport
  package var limits = Limits()
  package var connectTimeout: Duration? = .seconds(10)
  package var connectionKey = ConnectionKey()
  package var options = ConnectionOptions()
  package var tolerances: ResponseTolerances = []

  /// Creates a client of the transport that the current test runs over; see `OverEachTransport`.
  package init(_ configuration: CurlTransport.Configuration = CurlTransport.Configuration()) {
    self.init(TestTransport.make(configuration))
  }

  package init(_ transport: any Transport) { self.transport = transport }

  /// A client that trusts the certificates of the peers, over the transport that `isNative` selects.
  package static func trusting(isNative: Bool = TestTransport.isNative) -> Client {
    var configuration = CurlTransport.Configuration()
    configuration.network.certificateAuthorities = Fixture.path("Certificates/root.pem")
    return Client(TestTransport.make(configuration, isNative: isNative))
  }

  /// Sends a request and waits for the end of the response's body.
  package func fetch(
    _ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    log: EventLog = EventLog(), change: (inout OutgoingRequest) -> Void = { _ in }
  ) async throws -> Fetched {
    var request = try OutgoingRequest(url: HTTPURL(url), method: method, headers: headers, body: body)
    change(&request)
    let response = try await transport.send(request, in: context(log: log))
    return Fetched(head: response.head, end: try await response.body.end())
  }

  /// Sends a request that should fail, and returns its error; `nil` if the request succeeds.
  package func failure(
    _ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    control: ExchangeControl = ExchangeControl(), log: EventLog = EventLog(),
    change: (inout OutgoingRequest) -> Void = { _ in }
  ) async -> LupineError? {
    do throws(LupineError) {
      var request = OutgoingRequest(url: try HTTPURL(url), method: method, headers: headers, body: body)
      change(&request)
      let response = try await transport.send(request, in: context(control: control, log: log))
      _ = try await response.body.end()
      return nil
    } catch {
      return error
    }
  }

  package func context(
    control: ExchangeControl = ExchangeControl(), log: EventLog = EventLog(), sink: BodySink = .collect(limit: 64 << 20)
  ) -> TransferContext {
    var context = TransferContext(
      id: RequestID(1), connectTimeout: connectTimeout, limits: limits, connectionKey: connectionKey,
      connections: options,
      control: control, events: { log.append($0) }, sink: { _ in sink })
    if !tolerances.isEmpty { context.tolerances = tolerances }
    return context
  }
}

/// A response whose body has ended.
package struct Fetched: Sendable {
  package let head: HTTPResponse
  package let end: BodyEnd

  package var text: String { String(decoding: end.data, as: UTF8.self) }
  package var status: Int { head.status.code }
}
