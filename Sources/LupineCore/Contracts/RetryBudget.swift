import LupineSupport
import Synchronization

/// How many retries each origin may cost, so that retries do not make an outage worse.
///
/// Each origin (scheme, host and port) has a store of retries. A retry takes one out; each request that the origin answers
/// puts a part of one back. So while a server fails the retries to it cease, and when it answers again they come back. A
/// session has a budget, which every policy shares that is given none, the session's and the requests' alike. Policies
/// that are given the same budget share it, whatever their sessions.
public final class RetryBudget: Sendable {
  private let capacity: Double
  private let refund: Double
  private let spent: Mutex<RecentTable<HTTPURL.Origin, Double>>

  /// Sets the size of each origin's store.
  ///
  /// - Parameters:
  ///   - capacity: the retries in a full store. Default: 100.
  ///   - refund: what an answered request puts back. Default: 0.2, for one retry in five requests.
  public init(capacity: Double = 100, refund: Double = 0.2) {
    self.capacity = max(0, capacity.isNaN ? 0 : capacity)
    self.refund = max(0, refund.isNaN ? 0 : refund)
    spent = Mutex(RecentTable(limit: 1_000))
  }

  /// The retries left for a URL's origin.
  public func remaining(for url: HTTPURL) -> Double {
    capacity - (spent.withLock { $0[url.origin] } ?? 0)
  }

  /// Takes a retry out; false where there is none.
  public func take(for url: HTTPURL) -> Bool {
    spent.withLock { spent in
      let already = spent[url.origin] ?? 0
      guard capacity - already >= 1 else { return false }
      spent[url.origin] = already + 1
      return true
    }
  }

  /// Puts a retry back that was taken out and not made.
  public func giveBack(to url: HTTPURL) {
    spent.withLock { spent in
      guard let already = spent[url.origin] else { return }
      spent[url.origin] = already > 1 ? already - 1 : nil
    }
  }

  /// Puts a part of a retry back.
  ///
  /// - Parameter url: asked for where something is spent, as rarely.
  public func answered(_ url: @autoclosure () -> HTTPURL) {
    guard !spent.withLock({ $0.isEmpty }) else { return }
    let origin = url().origin
    spent.withLock { spent in
      guard let already = spent[origin] else { return }
      spent[origin] = already > refund ? already - refund : nil
    }
  }
}
