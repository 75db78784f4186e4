import HeapModule
import LupineSupport

/// The idle connections of a loop, in the order in which they became idle, and the times at which they expire.
struct IdleConnections {
  /// A time at which a connection may expire.
  ///
  /// It has no reference to the connection, which would keep the descriptor open.
  private struct Expiry: Comparable {
    let time: UInt64
    let descriptor: Int32

    static func < (left: Expiry, right: Expiry) -> Bool {
      assert(StepCount.add())
      return left.time < right.time
    }
  }

  private var queue = RemovableQueue<Connection>()
  /// An entry for each connection that is or was idle, and a further one each time its lifetime becomes shorter.
  private var expiries = Heap<Expiry>()
  var count: Int { queue.count }
  /// The connection that has been idle for the longest time.
  var oldest: Connection? { queue.first }
  /// The earliest time at which a connection may expire; `nil` if none is idle.
  var nextExpiry: UInt64? { queue.isEmpty ? nil : expiries.min?.time }

  mutating func add(_ connection: Connection) {
    connection.idlePlace = queue.append(connection)
    schedule(connection)
  }

  mutating func remove(_ place: RemovableQueue<Connection>.Place) { queue.remove(place) }

  /// Adds an entry unless the connection has an earlier one.
  private mutating func schedule(_ connection: Connection) {
    if let time = connection.scheduledExpiry, time <= connection.expiry { return }
    connection.scheduledExpiry = connection.expiry
    expiries.insert(Expiry(time: connection.expiry, descriptor: connection.descriptor))
  }

  /// Removes the first entry whose time has passed, and returns its descriptor.
  mutating func popExpired(at now: UInt64) -> Int32? {
    guard let first = expiries.min, first.time <= now else { return nil }
    return expiries.removeMin().descriptor
  }

  /// Whether a connection, whose entry has been removed, has expired; otherwise adds its next entry.
  mutating func hasExpired(_ connection: Connection, at now: UInt64) -> Bool {
    // The entry belongs to an earlier connection with this descriptor, or another entry has replaced it.
    guard let time = connection.scheduledExpiry, time <= now else { return false }
    connection.scheduledExpiry = nil
    guard connection.isIdle else { return false }
    if connection.expiry <= now { return true }
    schedule(connection)
    return false
  }
}
