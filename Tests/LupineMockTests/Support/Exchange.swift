import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Synchronization

/// Makes one exchange with a mock, in the place of a session.
struct Exchange: Sendable {
  var method = HTTPRequest.Method.get
  var url = "https://example.com/"
  var headers: HTTPFields = [:]
  var body = RequestBody.none
  var expectsContinue = false
  var attempt = 1
  var clock: any Clock<Duration> = ImmediateClock()
  var now: @Sendable () -> Date = { Date() }
  var connectTimeout: Duration?
  var limits = Limits()
  var connectionKey = ConnectionKey()
  var evaluator: (any TrustEvaluator)?
  var control = ExchangeControl()
  var sink = BodySink.collect(limit: .max)
  var events = Events()

  /// The events that an exchange emits.
  final class Events: Sendable {
    private let kinds = Mutex<[SessionEvent.Kind]>([])

    var all: [SessionEvent.Kind] { kinds.withLock { $0 } }

    func add(_ kind: SessionEvent.Kind) { kinds.withLock { $0.append(kind) } }
  }

  /// The events of the connection, of interim responses and of the sent body, in order.
  var course: [String] {
    events.all.compactMap { event in
      switch event {
      case .connected: "connected"
      case .informational(let head): "\(head.status.code)"
      case .sent(let bytes): "sent \(bytes)"
      default: nil
      }
    }
  }

  func send(through mock: MockTransport) async throws -> TransportResponse {
    let context = TransferContext(
      id: RequestID(1), attempt: attempt, clock: clock, now: now, connectTimeout: connectTimeout, limits: limits,
      connectionKey: connectionKey, evaluator: evaluator, control: control, events: { [events] in events.add($0) },
      sink: { [sink] _ in sink })
    var request = try OutgoingRequest(url, method: method, headers: headers, body: body)
    request.options.expectsContinue = expectsContinue
    return try await mock.send(request, in: context)
  }

  /// The head and the whole body, as text.
  func response(from mock: MockTransport) async throws -> (head: HTTPResponse, text: String, end: BodyEnd) {
    let response = try await send(through: mock)
    let end = try await response.body.end()
    return (response.head, String(decoding: end.data, as: UTF8.self), end)
  }

  /// The error of the exchange, before or after the head; `nil` if the exchange succeeds.
  func failure(from mock: MockTransport) async -> LupineError? {
    do {
      _ = try await response(from: mock)
      return nil
    } catch {
      return error as? LupineError
    }
  }
}

extension MockTransport {
  /// The text of the response to a GET request, or its status code if the text is empty.
  func get(_ url: String) async throws -> String {
    let (head, text, _) = try await Exchange(url: url).response(from: self)
    return text.isEmpty ? "\(head.status.code)" : text
  }
}
