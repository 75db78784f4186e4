import HTTPTypes
import LupineCache
import LupineCore
import LupineFoundation
import LupineMock
import LupineSession
import LupineSupport
import Synchronization

/// Runs one case through a session with an empty cache, in virtual time.
struct CaseClient {
  /// The result of a case, in the words of the original harness.
  enum Verdict: Equatable {
    case pass
    case fail(String)
    case setupFail(String)
  }

  /// Collects interim responses.
  private final class InterimMonitor: EventMonitor {
    let heads = Mutex<[HTTPResponse]>([])

    func receive(_ event: SessionEvent) {
      if case .informational(let head) = event.kind { heads.withLock { $0.append(head) } }
    }
  }

  let test: CacheCase
  let isShared: Bool

  func run() async throws -> Verdict {
    let (mock, clock, interim) = (MockTransport(keepsLog: false), ImmediateClock(), InterimMonitor())
    let server = CaseServer(test) { clock.date }
    mock.stub(.any, "/{any...}") { server.answer($0) }
    let cache = HTTPCache(memory: .megabytes(8), .init { $0.isShared = isShared })
    let session = try Session.Builder().transport(mock).clock(clock).monitor(interim).redirector(.doNotFollow)
      .serializers(emptyResponseCodes: Set(200..<1_000)).install(.cache(cache)).build()
    var previous: HTTPFields = [:]
    var used: Set<Int> = []
    for step in test.requests {
      interim.heads.withLock { $0 = [] }
      let response = await session.request(try request(step, previous)).cachePolicy(policy(step)).serializingData()
        .response
      await session.finishBackgroundTasks()
      guard let head = response.response, response.error == nil else {
        if test.passesOnError ?? false { return .pass }
        return verdict(step.isSetup, "request \(step.number) failed: \(response.error?.message ?? "no response")")
      }
      defer { previous = head.headerFields }
      let entry = step.expectedType == "cached" ? nil : Self.entry(step, server.log, &used)
      let result = Answer(
        head: head, body: String(decoding: response.data ?? Data(), as: UTF8.self),
        interim: interim.heads.withLock { $0 }, entry: entry, previous: previous)
      if let number = Self.repeated(in: head) {
        return .setupFail("request \(number) was sent twice")
      }
      for check in step.checks {
        if let reason = failure(check, step, result) {
          return verdict(check.isSetup, "request \(step.number): \(reason)")
        }
      }
      if let pause = step.client.pauseAfterSeconds { try await clock.sleep(for: .seconds(pause)) }
    }
    await session.shutdown()
    return .pass
  }

  private func verdict(_ isSetup: Bool, _ reason: String) -> Verdict { isSetup ? .setupFail(reason) : .fail(reason) }

  /// A number that the server has received twice, if there is one.
  private static func repeated(in head: HTTPResponse) -> String? {
    var known: Set<Substring> = []
    let numbers = head.headerFields[CaseServer.name("Request-Numbers")]?.split(separator: " ") ?? []
    return numbers.first { !known.insert($0).inserted }.map(String.init)
  }

  private static func entry(_ step: CacheCase.Step, _ log: [CaseServer.Entry], _ used: inout Set<Int>) -> CaseServer
    .Entry?
  {
    let rest = log.indices.filter { !used.contains($0) }
    guard let index = rest.first(where: { log[$0].number == step.number }) ?? rest.first else { return nil }
    used.insert(index)
    return log[index]
  }

  private func request(_ step: CacheCase.Step, _ previous: HTTPFields) throws -> OutgoingRequest {
    let client = step.client
    var url = "https://cache.example/test/run"
    if let filename = client.filename { url += "/" + filename }
    if let query = client.query { url += "?" + query }
    var fields = HTTPFields(
      client.headers.map { HTTPField(name: CaseServer.name($0.name), value: value($0, previous)) })
    fields[CaseServer.name("Test-ID")] = test.id
    fields[CaseServer.name("Req-Num")] = String(step.number)
    return try OutgoingRequest(
      url, method: .init(rawValue: client.method) ?? .get, headers: fields,
      body: client.body.map { .text($0) } ?? .none)
  }

  private func value(_ field: CacheCase.Field, _ previous: HTTPFields) -> String {
    guard let seconds = field.secondsFromServerNow else { return field.value ?? "" }
    return Self.date(seconds, field.format, after: previous)
  }

  /// A date relative to the server's time in a response.
  private static func date(_ seconds: Int, _ format: String?, after fields: HTTPFields) -> String {
    let now = fields[CaseServer.name("Server-Now")].flatMap { Double($0) } ?? 0
    return text(Date(timeIntervalSince1970: now / 1_000 + Double(seconds)), format)
  }

  private func policy(_ step: CacheCase.Step) -> CachePolicy {
    switch step.client.fetchCacheMode {
    case "no-cache": .validate
    case "reload": .reload
    case "no-store": .doNotStore
    case "force-cache": .preferStored
    case "only-if-cached": .onlyStored
    default: .byProtocol
    }
  }

  /// Writes a date in the preferred format, or in that of RFC 850.
  static func text(_ date: Date, _ format: String?) -> String {
    let text = HTTPDate.text(date) ?? ""
    guard format == "rfc850" else { return text }
    let days = [
      "Sun": "Sunday", "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
    ]
    let words = text.split(separator: " ").map(String.init)
    let day = days[String(words[0].prefix(3))] ?? "Saturday"
    return "\(day), \(words[1])-\(words[2])-\(words[3].suffix(2)) \(words[4]) GMT"
  }
}

extension CaseClient {
  /// The response that the client received, and the request that the server logged.
  struct Answer {
    let head: HTTPResponse
    let body: String
    let interim: [HTTPResponse]
    let entry: CaseServer.Entry?
    /// The fields of the response before this one.
    let previous: HTTPFields
  }

  /// Why a check fails; `nil` if it passes.
  private func failure(_ check: CacheCase.Check, _ step: CacheCase.Step, _ answer: Answer) -> String? {
    let count = answer.head.headerFields[CaseServer.name("Server-Request-Count")].flatMap { Int($0) }
    switch check.kind {
    case "fromCache":
      let isPassed = count.map { $0 < step.number } ?? (answer.head.status.code == 304)
      return isPassed ? nil : "not from the cache"
    case "notFromCache": return count == step.number ? nil : "from the cache"
    case "status": return statusFailure(check, answer.head.status.code)
    case "body":
      if check.unlessStatus?.contains(answer.head.status.code) ?? false { return nil }
      let expected = text(check.equals, after: answer.head.headerFields)
      return answer.body == expected ? nil : "body \(answer.body) instead of \(expected)"
    case "interim": return interimFailure(check, answer.interim)
    case "arrived": return answer.entry?.number == step.number ? nil : "the request did not reach the server"
    case "method":
      return answer.entry?.method.rawValue == text(check.equals, after: answer.previous)
        ? nil : "method \(answer.entry?.method.rawValue ?? "none")"
    case "sentHeadersArrive":
      return (answer.entry?.checked ?? []).filter { $0.0 != .date && $0.0 != .setCookie }
        .first { !(answer.head.headerFields[$0.0] ?? "").contains($0.1) }.map { "\($0.0) did not arrive" }
    case "header":
      let isRequest = check.on == "request"
      return headerFailure(
        check, isRequest ? answer.entry?.headers ?? [:] : answer.head.headerFields,
        after: isRequest ? answer.previous : answer.head.headerFields)
    default: return "the check \(check.kind) is unknown"
    }
  }

  /// - Parameter fields: the fields with the server's time that a date is relative to.
  private func text(_ value: CacheCase.Value?, after fields: HTTPFields) -> String {
    switch value {
    case .date(let seconds, let format): Self.date(seconds, format, after: fields)
    case .text(let text): text
    case .number(let number): String(number)
    case .token, nil: CaseServer.token
    }
  }

  private func statusFailure(_ check: CacheCase.Check, _ code: Int) -> String? {
    if let unwanted = check.notEquals { return code == unwanted ? "status \(code)" : nil }
    guard case .number(let wanted) = check.equals else { return nil }
    return code == wanted ? nil : "status \(code) instead of \(wanted)"
  }

  private func interimFailure(_ check: CacheCase.Check, _ received: [HTTPResponse]) -> String? {
    let expected = (check.interim ?? []).map { interim in
      "\(interim.status) "
        + interim.headers.map { "\($0.name.lowercased()): \($0.value ?? "")" }.joined(separator: ", ")
    }
    let actual = received.map { head in
      "\(head.status.code) " + head.headerFields.map { "\($0.name.canonicalName): \($0.value)" }.joined(separator: ", ")
    }
    return expected == actual ? nil : "interim \(actual) instead of \(expected)"
  }

  private func headerFailure(_ check: CacheCase.Check, _ fields: HTTPFields, after times: HTTPFields) -> String? {
    let name = CaseServer.name(check.name ?? "")
    let value = fields[name]
    if let isPresent = check.isPresent, isPresent != (value != nil) { return "\(name) is \(value ?? "absent")" }
    if let expected = check.equals.map({ text($0, after: times) }), value != expected {
      return "\(name) is \(value ?? "absent"), not \(expected)"
    }
    if let other = check.equalsHeader, value != fields[CaseServer.name(other)] {
      return "\(name) differs from \(other)"
    }
    if let least = check.isGreaterThan, !(value.flatMap { Double($0) }.map { $0 > least } ?? false) {
      return "\(name) is \(value ?? "absent"), not greater than \(least)"
    }
    if let part = check.notContaining, value?.contains(part) ?? false { return "\(name) has \(part)" }
    return nil
  }
}
