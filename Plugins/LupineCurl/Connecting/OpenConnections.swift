import LupineCore
import Synchronization

/// The connections of one loop, which its watch may end from another thread.
///
/// A descriptor is removed under the lock before it is closed, and a connection is ended under the same lock. So the
/// watch never uses a descriptor number that the system has reused.
final class OpenConnections: Sendable {
  /// A connection that the watch has ended.
  struct Cut: Sendable {
    let descriptor: Int32
    /// The number that `insert` received; the descriptor may belong to another connection now.
    let id: UInt64
    let ports: SocketPorts
  }

  private struct State {
    /// The number of the connection behind each descriptor.
    var ids: [Int32: UInt64] = [:]
    /// The read position of each connection when a call of libcurl began to take long.
    var readings: [Int32: Reading] = [:]
    var cuts: [Cut] = []
  }

  /// The read position of a connection.
  private enum Reading {
    /// The number of bytes read.
    case bytes(Int64)
    /// The system does not count the bytes, as for a Unix-domain socket.
    ///
    /// Contains the number of unread bytes, and the number of samples in which it had decreased. Only reading decreases
    /// it.
    case waiting(Int32, drops: Int)

    init(_ descriptor: Int32) {
      if let count = Socket.bytesRead(descriptor) {
        self = .bytes(count)
      } else {
        self = .waiting(Socket.bytesUnread(descriptor), drops: 0)
      }
    }

    /// Updates the number of unread bytes if the system does not count the bytes read.
    mutating func sampleAgain(_ descriptor: Int32) {
      guard case .waiting(let before, let drops) = self else { return }
      let now = Socket.bytesUnread(descriptor)
      self = .waiting(now, drops: now < before ? drops + 1 : drops)
    }

    /// Returns the number of bytes read since `sample`.
    ///
    /// If the system does not count them, the result is at least `flood` after two decreases, and 0 before.
    func count(_ descriptor: Int32) -> Int64 {
      switch self {
      case .bytes(let before): (Socket.bytesRead(descriptor) ?? -1) - before
      case .waiting(_, let drops): drops >= 2 ? OpenConnections.flood + Int64(drops) : 0
      }
    }
  }

  /// The number of bytes that must have been read from a connection since `sample` before it is ended.
  ///
  /// With fewer bytes, the connection is not the cause of the processor time.
  private static let flood: Int64 = 32 << 10

  private let state = Mutex(State())
  private let deadSocket: DeadSocket
  private let mayHaveCuts = Atomic(false)

  init() throws(LupineError) { deadSocket = try DeadSocket() }

  /// Whether a connection has been ended since the last `takeCuts`.
  var hasCuts: Bool { mayHaveCuts.load(ordering: .relaxed) }

  /// - Parameter id: a number that no other connection has.
  func insert(_ descriptor: Int32, id: UInt64) { state.withLock { $0.ids[descriptor] = id } }

  /// Removes a descriptor that is about to be closed.
  func remove(_ descriptor: Int32) {
    state.withLock { state in
      state.ids[descriptor] = nil
      state.readings[descriptor] = nil
    }
  }

  /// Ends a connection that must not be reused.
  func end(_ descriptor: Int32) { deadSocket.replace(descriptor) }

  /// Stores the read position of each connection.
  func sample() {
    state.withLock { state in
      state.readings = [:]
      for descriptor in state.ids.keys { state.readings[descriptor] = Reading(descriptor) }
    }
  }

  /// Updates the read positions of the connections whose bytes the system does not count.
  func sampleAgain() {
    state.withLock { state in
      for descriptor in state.readings.keys { state.readings[descriptor]?.sampleAgain(descriptor) }
    }
  }

  /// Ends the connection from which the most bytes were read since `sample`, if they are at least `flood`.
  func endBusiest() {
    state.withLock { state in
      let counts = state.readings.map { ($0.key, $0.value.count($0.key)) }
      guard let busiest = counts.max(by: { $0.1 < $1.1 }), busiest.1 >= Self.flood else { return }
      let descriptor = busiest.0
      state.readings[descriptor] = nil
      // Recorded first, because libcurl may report the end of the connection as the end of a response.
      state.cuts.append(Cut(descriptor: descriptor, id: state.ids[descriptor] ?? 0, ports: SocketPorts(descriptor)))
      mayHaveCuts.store(true, ordering: .relaxed)
      end(descriptor)
    }
  }

  /// Returns the connections that have been ended since the last call.
  func takeCuts() -> [Cut] {
    state.withLock { state in
      mayHaveCuts.store(false, ordering: .relaxed)
      defer { state.cuts = [] }
      return state.cuts
    }
  }
}
