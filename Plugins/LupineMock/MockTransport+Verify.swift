import HTTPTypes
public import LupineCore
import Synchronization

extension MockTransport {
  /// The requests that arrived, in their order, those without a stub included.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }

  /// Forgets the requests that arrived; what the stubs count goes on.
  public func forgetRequests() { state.withLock { $0.requests = [] } }

  /// Checks that every stub has answered as often as its `count` says, that nothing unexpected was asked, and that no
  /// stub was faulty.
  ///
  /// - Throws: one `LupineError` that tells of all of them: of kind `invalidStub` where a stub was faulty, else of kind
  ///   `unmatchedRequest` where a request was unexpected, else of kind `unusedStub`. What became of the requests that
  ///   arrived stands in it, too.
  public func verify() throws(LupineError) {
    let (stubs, requests, failures) = state.withLock { ($0.table.all, $0.requests, $0.failures) }
    let invalid = stubs.compactMap { $0.problem?.message } + failures.map(\.message)
    let unexpected = requests.filter { !$0.isExpected }.map { "\($0.method.rawValue) \($0.url.string)" }
    let unused = stubs.filter { $0.uses < $0.asked.count.minimum }.map(\.shortfall)
    let sections = [
      Self.section("Stubs that cannot answer:", invalid.unique),
      Self.section("Requests that no stub expected:", unexpected),
      Self.section("Stubs that were not used as expected:", unused),
    ]
    guard sections.contains(where: { !$0.isEmpty }) else { return }
    let kind: LupineError.Kind = !invalid.isEmpty ? .invalidStub : !unexpected.isEmpty ? .unmatchedRequest : .unusedStub
    throw LupineError(
      kind,
      (["The mock was not used as its stubs say."] + sections.filter { !$0.isEmpty } + [history].filter { !$0.isEmpty })
        .joined(separator: "\n"))
  }

  private var history: String {
    let exchanges = exchanges
    let shown = exchanges.suffix(10).map(\.description.indented)
    let title = exchanges.count > shown.count ? "What happened last, of \(exchanges.count) requests:" : "What happened:"
    return shown.isEmpty ? "" : ([title] + shown).joined(separator: "\n")
  }

  private static func section(_ title: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : ([title] + lines.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension Stub {
  fileprivate var shortfall: String {
    let expected =
      asked.count.minimum == 1 ? "it was never used" : "it was used \(uses) of \(asked.count.minimum) times"
    return "\(self) at \(asked.location): \(expected)"
  }
}

extension [String] {
  /// Each text once, in the order of their first appearance.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
