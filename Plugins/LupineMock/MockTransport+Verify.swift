import HTTPTypes
public import LupineCore
import LupineDoubles
import Synchronization

extension MockTransport {
  /// The requests that arrived, in order, including those without a stub.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }

  /// Removes the recorded requests; the stubs keep their counts.
  public func forgetRequests() { state.withLock { $0.requests = [] } }

  /// Checks that every stub has answered as often as its `count` requires, that every request had a stub, and that no
  /// stub was faulty.
  ///
  /// - Throws: one `LupineError` that reports all of them: of kind `invalidStub` if a stub was faulty, else of kind
  ///   `unmatchedRequest` if a request was unexpected, else of kind `unusedStub`. Its message also has the history of
  ///   the requests.
  public func verify() throws(LupineError) {
    let verificationIssues = verificationIssues
    guard let first = verificationIssues.first else { return }
    let sections = [
      Self.section("Stubs that cannot answer:", verificationIssues, .invalidStub),
      Self.section("Requests that no stub expected:", verificationIssues, .unmatchedRequest),
      Self.section("Stubs that were not used as expected:", verificationIssues, .unusedStub),
      history,
    ]
    let text = ["The mock was not used as its stubs expect."] + sections.filter { !$0.isEmpty }
    throw LupineError(first.kind, text.joined(separator: "\n"))
  }

  /// One problem that `verify()` reports.
  public struct VerificationIssue: Sendable {
    /// The kind of the problem.
    public let kind: LupineError.Kind
    /// The problem in readable form.
    public let text: String
    /// Further details: for a request without a stub, the nearest stubs and their differences.
    public let detail: String?
    /// The location of the stub; `nil` if the problem belongs to no stub.
    public let location: StubLocation?
  }

  /// All problems: first the faulty stubs, then the requests without a stub, then the unused stubs.
  public var verificationIssues: [VerificationIssue] {
    let (stubs, requests) = state.withLock { ($0.table.all, $0.requests) }
    let invalid = stubs.flatMap { stub in
      stub.problems.map {
        VerificationIssue(kind: .invalidStub, text: $0, detail: nil, location: stub.parameters.location)
      }
    }
    let unexpected = requests.filter { !$0.isExpected }.map {
      VerificationIssue(
        kind: .unmatchedRequest, text: $0.description, detail: $0.mismatch, location: nil)
    }
    let unused = stubs.filter { $0.problem == nil && $0.uses < $0.parameters.count.minimum }.map {
      VerificationIssue(kind: .unusedStub, text: $0.usageProblem, detail: nil, location: $0.parameters.location)
    }
    return invalid + unexpected + unused
  }

  /// The history of the last requests; empty if none arrived.
  public var history: String {
    let exchanges = exchanges
    let shown = exchanges.suffix(10).map(\.description.indented)
    let title = exchanges.count > shown.count ? "What happened last, of \(exchanges.count) requests:" : "What happened:"
    return shown.isEmpty ? "" : ([title] + shown).joined(separator: "\n")
  }

  private static func section(_ title: String, _ verificationIssues: [VerificationIssue], _ kind: LupineError.Kind)
    -> String
  {
    let lines = verificationIssues.filter { $0.kind == kind }.map { "  \($0.text)" }
    return lines.isEmpty ? "" : ([title] + lines).joined(separator: "\n")
  }
}

extension Stub {
  /// The problems of the stub and of its answers, without duplicates.
  fileprivate var problems: [String] {
    var seen: Set<String> = []
    return ((problem.map { [$0] } ?? []) + parameters.failures.all).map(\.message).filter { seen.insert($0).inserted }
  }

  fileprivate var usageProblem: String {
    let expected =
      parameters.count.minimum == 1 ? "it was never used" : "it was used \(uses) of \(parameters.count.minimum) times"
    return "\(self) at \(parameters.location): \(expected)"
  }
}
