import Synchronization

/// How many of libcurl's handles the process holds, so that a test sees one that stays behind.
enum HandleCount {
  private static let held = Atomic<Int>(0)

  /// Easy handles and multis that have been made and not been cleaned up.
  static var current: Int { held.load(ordering: .relaxed) }

  static func add(_ count: Int) { held.add(count, ordering: .relaxed) }
}
