import HTTPTypes
import LupineCore
import LupineFoundation
import LupineMock
import LupineSupport
import Synchronization

/// The server of one case: answers each request by its `Req-Num`, and logs it.
final class CaseServer: Sendable {
  struct Entry: Sendable {
    let number: Int
    let method: HTTPRequest.Method
    let headers: HTTPFields
    /// The fields that the client must receive.
    let checked: [(HTTPField.Name, String)]
  }

  private struct State {
    var log: [Entry] = []
    /// The dates that were sent last, by the field and the seconds from the server's time.
    var dates: [String: String] = [:]
  }

  /// A text whose length no case states.
  static let token = "token-of-the-run-a1b2c3d4e5f6"
  private let test: CacheCase
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  init(_ test: CacheCase, now: @escaping @Sendable () -> Date) {
    self.test = test
    self.now = now
  }

  var log: [Entry] { state.withLock { $0.log } }

  func answer(_ request: RecordedRequest) -> MockReply {
    let number = request.headers[Self.name("Req-Num")].flatMap { Int($0) } ?? 0
    guard let step = test.requests.first(where: { $0.number == number }) else { return .status(.init(code: 998)) }
    let base = request.url.string.components(separatedBy: "/test/")
    let baseURL = "/test/" + (base.last?.split(separator: "/").first.map(String.init) ?? "")
    // The status comes first: it compares dates with those of the last response, which `resolve` replaces.
    let status = status(of: step, request)
    let fields = step.server.headers.map { (Self.name($0.name), resolve($0, base: baseURL), $0) }
    let numbers = state.withLock { state in
      let checked = fields.filter { $0.2.isChecked ?? false }.map { ($0.0, $0.1) }
      state.log.append(
        Entry(number: number, method: request.method, headers: request.headers, checked: checked))
      return state.log.map(\.number)
    }
    if step.server.disconnects ?? false { return MockReply.status(.ok).fault(.resetBeforeHead) }
    var reply = MockReply.status(.init(code: status))
    var all = HTTPFields(fields.map { HTTPField(name: $0.0, value: $0.1) })
    if ![204, 304].contains(status) {
      var body = Data((step.server.body ?? Self.token).utf8)
      // A case may state a length without a body.
      if let length = all[.contentLength].flatMap({ Int($0) }), step.server.body == nil {
        body = body.prefix(length) + Data(count: max(0, length - body.count))
      }
      reply = .data(body, contentType: nil, status: .init(code: status))
    }
    if !all.contains(.contentType) { all[.contentType] = "text/plain" }
    if !all.contains(.date) { all[.date] = HTTPDate.text(now()) }
    all[Self.name("Server-Base-Url")] = baseURL
    all[Self.name("Server-Request-Count")] = String(numbers.count)
    all[Self.name("Client-Request-Count")] = String(number)
    all[Self.name("Server-Now")] = String(Int(now().timeIntervalSince1970 * 1_000))
    all[Self.name("Request-Numbers")] = numbers.map(String.init).joined(separator: " ")
    reply = reply.fields(all)
    // The mock adds Content-Length, which contradicts it.
    if all.contains(.transferEncoding) { reply = reply.chunked([step.server.body ?? Self.token]) }
    if let pause = step.server.pauseSeconds { reply = reply.delay(.seconds(pause)) }
    let interim = (step.server.interim ?? []).map { interim in
      HTTPResponse(
        status: .init(code: interim.status),
        headerFields: HTTPFields(interim.headers.map { HTTPField(name: Self.name($0.name), value: $0.value ?? "") }))
    }
    return interim.isEmpty ? reply : reply.informational(interim)
  }

  /// 304 if the request has the named validator, 999 if it has another or none; else the status of the step.
  private func status(of step: CacheCase.Step, _ request: RecordedRequest) -> Int {
    guard let validators = step.server.answers304 else { return step.server.status }
    if let tag = validators.ifNoneMatch { return request.headers[.ifNoneMatch] == tag ? 304 : 999 }
    let date = validators.ifModifiedSince.flatMap { field in
      field.value ?? state.withLock { $0.dates[Self.key(field)] }
    }
    return date != nil && request.headers[.ifModifiedSince] == date ? 304 : 999
  }

  private func resolve(_ field: CacheCase.Field, base: String) -> String {
    if let value = field.value { return value }
    if let path = field.relativeToServerBaseURL { return path.isEmpty ? base : base + "/" + path }
    let date = CaseClient.text(now().addingTimeInterval(Double(field.secondsFromServerNow ?? 0)), field.format)
    state.withLock { $0.dates[Self.key(field)] = date }
    return date
  }

  private static func key(_ field: CacheCase.Field) -> String {
    "\(field.name.lowercased()) \(field.secondsFromServerNow ?? 0)"
  }

  static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .contentType }
}
