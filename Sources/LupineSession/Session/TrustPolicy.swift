import LupineCore
import Synchronization

/// Which evaluator judges which host; every policy made is an identity of its own.
struct TrustPolicy: Sendable {
  private static let counter = Atomic<UInt64>(0)

  let id: UInt64
  private let rules: [(pattern: HostPattern, evaluator: any TrustEvaluator)]
  private let fallback: (any TrustEvaluator)?

  init(rules: [(HostPattern, any TrustEvaluator)], fallback: (any TrustEvaluator)?) {
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.rules = rules.map { (pattern: $0.0, evaluator: $0.1) }
      .sorted { $0.pattern.precedence > $1.pattern.precedence }
    self.fallback = fallback
  }

  func evaluator(for url: HTTPURL) -> (any TrustEvaluator)? {
    guard url.scheme == .https else { return nil }
    let name = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
    return rules.first { $0.pattern.matches(name, port: url.effectivePort) }?.evaluator ?? fallback
  }
}
