/// The exchanges with one scheme, host and port: how many are under way, and which wait, first come, first served.
final class HostLine {
  var running = 0
  /// Whether the host speaks HTTP/2, where libcurl puts many exchanges on one connection, so that none has to wait.
  var isLifted = false
  private var waiting: [UInt64] = []
  private var first = 0

  var isIdle: Bool { running == 0 && next == nil }
  var next: UInt64? { first < waiting.count ? waiting[first] : nil }

  func append(_ id: UInt64) { waiting.append(id) }

  func removeNext() {
    first += 1
    guard first == waiting.count || first > 1_000 else { return }
    waiting.removeFirst(first)
    first = 0
  }

  /// Takes an exchange out of the middle; false where it does not wait.
  func remove(_ id: UInt64) -> Bool {
    guard next != nil, let index = waiting[first...].firstIndex(of: id) else { return false }
    waiting.remove(at: index)
    return true
  }
}
