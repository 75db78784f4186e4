import Synchronization

/// Counts libcurl's handles in the process, so that tests can detect leaks.
enum HandleCount {
  private static let held = Atomic<Int>(0)

  /// The number of easy and multi handles that exist.
  static var current: Int { held.load(ordering: .relaxed) }

  static func add(_ count: Int) { held.add(count, ordering: .relaxed) }
}
