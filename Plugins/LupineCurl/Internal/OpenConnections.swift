import CLibcurl
import Glibc
import LupineCore
import Synchronization

/// The connections of one loop, which its watch may end from another thread.
///
/// A descriptor is removed under the lock before it is closed, and a connection is ended under the same lock. So the
/// watch never touches a descriptor number that the system has reused.
final class OpenConnections: Sendable {
  /// A connection that was ended.
  struct Cut: Sendable {
    let descriptor: Int32
    /// What `insert` was given for it: the descriptor may stand for another connection by now.
    let id: UInt64
    let ports: SocketPorts
  }

  private struct State {
    /// The number of the connection behind each descriptor.
    var ids: [Int32: UInt64] = [:]
    /// What had been read from each when a call of libcurl's began to look endless.
    var readings: [Int32: Reading] = [:]
    var cuts: [Cut] = []
  }

  /// How far a connection has been read.
  private enum Reading {
    /// So many bytes.
    case bytes(Int64)
    /// The system does not count them, as for a Unix-domain socket: so many wait, and at so many looks there were fewer
    /// than before. Only reading makes them fewer.
    case waiting(Int32, drops: Int)

    init(_ descriptor: Int32) {
      let bytes = lupine_bytes_read(descriptor)
      self = bytes >= 0 ? .bytes(bytes) : .waiting(lupine_bytes_waiting(descriptor), drops: 0)
    }

    /// Looks again where the system does not count.
    mutating func sampleAgain(_ descriptor: Int32) {
      guard case .waiting(let before, let drops) = self else { return }
      let now = lupine_bytes_waiting(descriptor)
      self = .waiting(now, drops: now < before ? drops + 1 : drops)
    }

    /// The bytes read since `sample`; where they are not counted, as many as it takes if it was seen twice.
    func count(_ descriptor: Int32) -> Int64 {
      switch self {
      case .bytes(let before): lupine_bytes_read(descriptor) - before
      case .waiting(_, let drops): drops >= 2 ? OpenConnections.flood + Int64(drops) : 0
      }
    }
  }

  /// Bytes that are read in one go and bring nothing; below that, something else takes the time.
  private static let flood: Int64 = 32 << 10

  private let state = Mutex(State())
  private let deadSocket: DeadSocket
  private let mayHaveCuts = Atomic(false)

  init() throws(LupineError) { deadSocket = try DeadSocket() }

  /// Whether a connection was ended since `takeCuts` was last called.
  var hasCuts: Bool { mayHaveCuts.load(ordering: .relaxed) }

  /// - Parameter id: a number that no other connection has.
  func insert(_ descriptor: Int32, id: UInt64) { state.withLock { $0.ids[descriptor] = id } }

  /// Takes out a descriptor that is about to be closed.
  func remove(_ descriptor: Int32) {
    state.withLock { state in
      state.ids[descriptor] = nil
      state.readings[descriptor] = nil
    }
  }

  /// Ends a connection that must not be used again.
  func end(_ descriptor: Int32) { deadSocket.replace(descriptor) }

  /// Notes how far each connection has been read.
  func sample() {
    state.withLock { state in
      state.readings = [:]
      for descriptor in state.ids.keys { state.readings[descriptor] = Reading(descriptor) }
    }
  }

  /// Looks again at the connections whose bytes the system does not count.
  func sampleAgain() {
    state.withLock { state in
      for descriptor in state.readings.keys { state.readings[descriptor]?.sampleAgain(descriptor) }
    }
  }

  /// Ends the connection from which most was read since `sample`; nothing happens where that was little.
  func endBusiest() {
    state.withLock { state in
      let counts = state.readings.map { ($0.key, $0.value.count($0.key)) }
      guard let busiest = counts.max(by: { $0.1 < $1.1 }), busiest.1 >= Self.flood else { return }
      let descriptor = busiest.0
      state.readings[descriptor] = nil
      // Noted first: libcurl may take the end of the connection for the end of a response.
      state.cuts.append(Cut(descriptor: descriptor, id: state.ids[descriptor] ?? 0, ports: SocketPorts(descriptor)))
      mayHaveCuts.store(true, ordering: .relaxed)
      end(descriptor)
    }
  }

  /// The connections that were ended since the last call.
  func takeCuts() -> [Cut] {
    state.withLock { state in
      mayHaveCuts.store(false, ordering: .relaxed)
      defer { state.cuts = [] }
      return state.cuts
    }
  }
}
