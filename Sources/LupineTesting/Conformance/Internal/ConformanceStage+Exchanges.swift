import HTTPTypes
import LupineCore

extension ConformanceStage {
  func request(
    _ path: String = "/", method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none
  ) throws -> OutgoingRequest {
    OutgoingRequest(url: try HTTPURL(peer.url + path), method: method, headers: headers, body: body)
  }

  /// Sends a request and returns after its head.
  func send(_ request: OutgoingRequest, _ settings: StageSettings = StageSettings()) async throws
    -> StagedExchange
  {
    try peer.prepare(for: request)
    let number = enter(settings.control)
    let log = ExchangeRecord()
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
  func fetch(_ request: OutgoingRequest, _ settings: StageSettings = StageSettings()) async throws
    -> FetchedResponse
  {
    let exchange = try await send(request, settings)
    return FetchedResponse(
      head: exchange.head, end: try await exchange.end(), source: exchange.source, log: exchange.log)
  }

  /// Sends a request, by default a GET for the root, and waits for the end of its body.
  func fetch(
    _ path: String = "/", method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    with settings: StageSettings = StageSettings()
  ) async throws -> FetchedResponse {
    try await fetch(request(path, method: method, headers: headers, body: body), settings)
  }
}
