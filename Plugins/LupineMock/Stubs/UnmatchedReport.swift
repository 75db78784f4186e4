import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation

/// Explains why no stub matches a request, with the nearest stubs and their differences.
struct UnmatchedReport {
  private let request: RequestSnapshot
  private let stubs: [Stub]
  private let log: ExchangeLog?
  private let isBodyKnown: Bool

  /// - Parameters:
  ///   - log: the earlier exchanges of the request, if this is not the first one.
  ///   - isBodyKnown: whether the request's body was read, so that the conditions on the body were evaluated.
  init(_ request: RequestSnapshot, _ table: StubTable, _ log: ExchangeLog? = nil, isBodyKnown: Bool = true) {
    self.request = request
    self.log = log
    self.isBodyKnown = isBodyKnown
    stubs = table.all
  }

  /// The error for the request.
  ///
  /// An invalid template or condition may belong to the stub that was meant, so its error comes first.
  var error: LupineError {
    if let broken = stubs.first(where: \.isUnreadable)?.problem { return broken }
    guard let log else { return LupineError(.unmatchedRequest, message) }
    return LupineError(.unmatchedRequest, "\(message)\nEarlier exchanges of the request:\n\(log.description.indented)")
  }

  /// The differences, and a stub that would match the request.
  var message: String {
    let title = "No stub of the mock matches \(request.method.rawValue) \(request.url.withoutSecrets())."
    guard !stubs.isEmpty else {
      return "\(title) It has no stubs yet; add one before the request is made:\n    \(suggestion)"
    }
    let url = SplitURL(request.url)
    let candidates = stubs.map { stub in
      NearestReport.Candidate(
        "\(stub) at \(stub.parameters.location)", stub.differences(from: request, url, isBodyKnown))
    }
    let nearest = NearestReport(candidates, singular: "stub", plural: "stubs")
    return [title, nearest.description, "To expect it, add:", "    \(suggestion)"].joined(separator: "\n")
  }

  /// The source of a stub for this request, which accepts any value of a secret parameter.
  private var suggestion: String {
    let url = request.url.withoutSecrets { $0 == 0 ? "{secret}" : "{secret\($0 + 1)}" }
    return "mock.stub(\(request.method.literal), \"\(url)\", .status(.ok))"
  }
}

extension Stub {
  /// Returns everything that keeps the stub from answering.
  fileprivate func differences(
    from request: RequestSnapshot, _ url: SplitURL, _ isBodyKnown: Bool
  ) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if !parameters.methods.contains(request.method) {
      let text = "method: expected \(parameters.methods), got \(request.method.rawValue)"
      differences.append(RequestDifference(text: text, weight: 3))
    }
    differences += template?.differences(from: url) ?? []
    differences += conditionDifferences(from: request, isBodyKnown)
    if let maximum = parameters.count.maximum, isUsedUp {
      let times = maximum == 1 ? "once" : "\(maximum) times"
      differences.append(RequestDifference(text: "count: it answers \(times) and is used up", weight: 1))
    }
    return differences
  }
}

extension Stub {
  /// Returns the differences of the conditions; the conditions of a stub that answers early see no body.
  private func conditionDifferences(from request: RequestSnapshot, _ isBodyKnown: Bool) -> [RequestDifference] {
    var seen = request
    if isEarly { seen.body = Data() }
    return parameters.conditions.compactMap { condition in
      guard isBodyKnown || !condition.readsBody, let text = condition.difference(from: seen) else { return nil }
      let isBlind = isEarly && condition.difference(from: request) == nil
      return RequestDifference(
        text: isBlind ? "\(text) (its reading: .first(…) shows conditions no body)" : text, weight: 2)
    }
  }
}

extension HTTPRequest.Method {
  /// The method in Swift syntax.
  fileprivate var literal: String {
    let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch, .query]
    return known.contains(self) ? ".\(rawValue.lowercased())" : "[HTTPRequest.Method(\"\(rawValue)\")!]"
  }
}

extension String {
  /// The text with each line indented by two columns.
  var indented: String { split(separator: "\n").map { "  \($0)" }.joined(separator: "\n") }
}
