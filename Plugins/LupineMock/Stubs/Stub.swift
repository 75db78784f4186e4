import HTTPTypes
import LupineCore
import Synchronization

/// One stub of a mock, and the number of its answers.
final class Stub: Sendable, CustomStringConvertible {
  /// The answers: plans that are made with the stub, or a closure.
  enum Answers: Sendable {
    case planned([ReplyPlan])
    case closure(@Sendable (RecordedRequest) throws -> MockReply)
    case asyncClosure(@Sendable (RecordedRequest) async throws -> MockReply)

    /// The plans of a fixed reply.
    static func fixed(_ reply: MockReply, for parameters: StubParameters) -> Answers {
      .planned(reply.parts.map { ReplyPlan($0, for: parameters) })
    }
  }

  let parameters: StubParameters
  let template: URLTemplate?
  let answers: Answers
  /// Why the stub cannot answer any request; `nil` if it can.
  let problem: LupineError?
  private let answered = Atomic<Int>(0)

  init(_ parameters: StubParameters, _ answers: Answers) {
    self.parameters = parameters
    self.answers = answers
    let template = Result { () throws(TemplateFault) in try URLTemplate(parameters.url) }
    self.template = try? template.get()
    if case .failure(let fault) = template {
      problem = parameters.error("its URL template cannot be parsed: \(fault.message)")
    } else if let reason = parameters.impossibility {
      problem = parameters.error("no request can meet its conditions: \(reason)")
    } else if case .planned(let plans) = answers {
      problem = plans.isEmpty ? parameters.error("its sequence of replies is empty.") : plans.firstProblem
    } else {
      problem = nil
    }
  }

  var description: String { "\(parameters.methods) \(parameters.shownURL)" }

  /// Whether the stub's requests cannot be determined, because its template or a condition is invalid.
  var isUnreadable: Bool { template == nil || parameters.impossibility != nil }

  /// Whether the stub answers before the request's body has been read.
  var isEarly: Bool { parameters.reading != .whole }

  /// Whether some of its answers are faults that occur before the server has received the whole request.
  var mayFailRequest: Bool {
    guard case .planned(let plans) = answers else { return false }
    return plans.contains { $0.bytesBeforeRequestFault != nil }
  }

  /// Returns how many bytes of a request's body are read before the answer with this number.
  func bodyLimit(forUse use: Int) -> Int {
    min(parameters.reading.limit, planned(use)?.bytesBeforeRequestFault ?? .max)
  }

  /// Whether the answer with this number is a fault that occurs before the request reaches the server.
  func refuses(_ use: Int) -> Bool { planned(use)?.isRefusal == true }

  /// Returns the answer with this number; `nil` if a closure makes it.
  func planned(_ use: Int) -> ReplyPlan? {
    guard case .planned(let plans) = answers, let last = plans.indices.last else { return nil }
    return plans[min(use, last)]
  }

  /// The number of answers given.
  var uses: Int { answered.load(ordering: .relaxed) }

  var isUsedUp: Bool { parameters.count.maximum.map { uses >= $0 } ?? false }

  /// Counts one answer and returns its number, from 0; `nil` if the stub is used up.
  func use() -> Int? {
    guard let maximum = parameters.count.maximum else {
      return answered.add(1, ordering: .relaxed).oldValue
    }
    var count = answered.load(ordering: .relaxed)
    while count < maximum {
      let (exchanged, original) = answered.compareExchange(
        expected: count, desired: count + 1, ordering: .relaxed)
      if exchanged { return count }
      count = original
    }
    return nil
  }
}

extension [ReplyPlan] {
  fileprivate var firstProblem: LupineError? { lazy.compactMap(\.problem).first }
}

/// The parameters of a stub.
struct StubParameters: Sendable {
  let methods: StubMethods
  let url: String
  let conditions: [RequestCondition]
  let priority: Int
  let count: StubCount
  let reading: RequestReading
  let location: StubLocation
  /// The number of stubs that the mock had before this one.
  let place: Int
  /// The errors of its answers, for `verify()`.
  let failures = StubFailures()

  init(
    _ methods: StubMethods, _ url: String, _ conditions: [RequestCondition], _ priority: Int, _ count: StubCount,
    _ reading: RequestReading, _ location: StubLocation,
    place: Int
  ) {
    self.methods = methods
    self.url = url
    self.conditions = conditions
    self.priority = priority
    self.count = count
    self.reading = reading
    self.location = location
    self.place = place
  }
}

extension StubParameters {
  /// Why no request can meet the conditions; `nil` if one can.
  var impossibility: String? { conditions.lazy.compactMap(\.problem).first }

  /// The template for a report, with the values of secret parameters removed unless they are variables.
  var shownURL: String {
    guard let sign = url.firstIndex(of: "?") else { return url }
    let items = url[url.index(after: sign)...].split(separator: "&", omittingEmptySubsequences: false)
    let shown = items.map { $0.contains("={") ? String($0) : SecretParameters.redact(String($0)) }
    return url[...sign] + shown.joined(separator: "&")
  }

  /// Records an error of the stub and returns it.
  func recorded(_ error: LupineError) -> LupineError {
    failures.add(error)
    return error
  }

  /// Returns an error with the location of the stub and the reason.
  func error(_ reason: String, underlying: (any Error)? = nil) -> LupineError {
    LupineError(
      .invalidStub, "The stub \(methods) \(shownURL) at \(location) cannot answer: \(reason)", underlying: underlying
    )
  }
}

/// The errors of one stub, shared by all copies of its description.
final class StubFailures: Sendable {
  private let list = Mutex<[LupineError]>([])

  var all: [LupineError] { list.withLock { $0 } }

  func add(_ error: LupineError) { list.withLock { $0.append(error) } }
}
