import LupineSupport
import Synchronization

/// Limits the retries for each origin, so that retries do not make an outage worse.
///
/// Each origin (scheme, host and port) has its own amount of retries. A retry takes one. Each request that the origin
/// answers returns a part of one. So retries stop while a server fails and become available when it answers again. A
/// session has one budget; all policies of the session and of its requests that have no budget of their own share it.
/// Policies with the same budget share it, even across sessions.
public final class RetryBudget: Sendable {
  private let capacity: Double
  private let refund: Double
  private let spent: Mutex<RecentTable<HTTPURL.Origin, Double>>

  /// Sets the size of each origin's budget.
  ///
  /// - Parameters:
  ///   - capacity: the number of retries in a full budget. Default: 100.
  ///   - refund: the part of a retry that an answered request returns. Default: 0.2, which is one retry for five
  ///     requests.
  public init(capacity: Double = 100, refund: Double = 0.2) {
    self.capacity = max(0, capacity.isNaN ? 0 : capacity)
    self.refund = max(0, refund.isNaN ? 0 : refund)
    spent = Mutex(RecentTable(limit: 1_000))
  }

  /// Returns the number of retries that are left for a URL's origin.
  public func remaining(for url: HTTPURL) -> Double {
    capacity - (spent.withLock { $0[url.origin] } ?? 0)
  }

  /// Takes one retry; returns false if none is left.
  public func take(for url: HTTPURL) -> Bool {
    spent.withLock { spent in
      let already = spent[url.origin] ?? 0
      guard capacity - already >= 1 else { return false }
      spent[url.origin] = already + 1
      return true
    }
  }

  /// Returns a retry that was taken but not made.
  public func giveBack(to url: HTTPURL) {
    spent.withLock { spent in
      guard let already = spent[url.origin] else { return }
      spent[url.origin] = already > 1 ? already - 1 : nil
    }
  }

  /// Returns a part of a retry after an answered request.
  ///
  /// - Parameter url: evaluated only if some origin has spent retries.
  public func answered(_ url: @autoclosure () -> HTTPURL) {
    guard !spent.withLock({ $0.isEmpty }) else { return }
    let origin = url().origin
    spent.withLock { spent in
      guard let already = spent[origin] else { return }
      spent[origin] = already > refund ? already - refund : nil
    }
  }
}
