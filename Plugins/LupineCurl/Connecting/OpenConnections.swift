import LupineCore
import Synchronization

/// The connections of one loop, which its watchdog may end from another thread.
///
/// A descriptor is removed under the lock before it is closed, and a connection is ended under the same lock. So the
/// watchdog never uses a descriptor number that the system has reused. libcurl before 8.2 closes the socket of an
/// attempt that it gives up without a callback (curl#11439), so a connection is also identified by its socket.
final class OpenConnections: Sendable {
  /// A connection that the watchdog has ended.
  struct EndedConnection: Sendable {
    let descriptor: Int32
    /// The number that `insert` received; the descriptor may belong to another connection now.
    let id: UInt64
    let ports: SocketPorts
  }

  private struct State {
    /// The number and the socket of the connection behind each descriptor.
    var connections: [Int32: (id: UInt64, socket: Socket.Identity?)] = [:]
    /// The read position of each connection when a call of libcurl began to take long.
    var positions: [Int32: ReadPosition] = [:]
    var ended: [EndedConnection] = []

    func isOpen(_ descriptor: Int32) -> Bool {
      guard let connection = connections[descriptor] else { return false }
      return connection.socket == Socket.Identity(descriptor)
    }
  }

  /// The read position of a connection.
  private enum ReadPosition {
    /// The number of bytes read.
    case bytes(Int64)
    /// The system does not count the bytes, as for a Unix-domain socket.
    ///
    /// Contains the number of unread bytes, and the number of samples in which it had decreased. Only reading decreases
    /// it.
    case unread(Int32, decreases: Int)

    init(_ descriptor: Int32) {
      if let count = Socket.bytesRead(descriptor) {
        self = .bytes(count)
      } else {
        self = .unread(Socket.bytesUnread(descriptor), decreases: 0)
      }
    }

    /// Updates the number of unread bytes if the system does not count the bytes read.
    mutating func update(_ descriptor: Int32) {
      guard case .unread(let before, let decreases) = self else { return }
      let now = Socket.bytesUnread(descriptor)
      self = .unread(now, decreases: now < before ? decreases + 1 : decreases)
    }

    /// Returns the number of bytes read since `sample`.
    ///
    /// If the system does not count them, the result is at least `minimumFlood` after two decreases, and 0 before.
    func count(_ descriptor: Int32) -> Int64 {
      switch self {
      case .bytes(let before): (Socket.bytesRead(descriptor) ?? -1) - before
      case .unread(_, let decreases): decreases >= 2 ? OpenConnections.minimumFlood + Int64(decreases) : 0
      }
    }
  }

  /// The number of bytes that must have been read from a connection since `sample` before it is ended.
  ///
  /// With fewer bytes, the connection is not the cause of the processor time.
  private static let minimumFlood: Int64 = 32 << 10

  private let state = Mutex(State())
  private let deadSocket: DeadSocket
  private let mayHaveEnded = Atomic(false)

  init() throws(LupineError) { deadSocket = try DeadSocket() }

  /// Whether a connection has been ended since the last `takeEndedConnections`.
  var hasEndedConnections: Bool { mayHaveEnded.load(ordering: .relaxed) }

  /// - Parameter id: a number that no other connection has.
  func insert(_ descriptor: Int32, id: UInt64) {
    let socket = Socket.Identity(descriptor)
    state.withLock { $0.connections[descriptor] = (id, socket) }
  }

  /// Whether the descriptor still belongs to the socket with which it was inserted.
  func isOpen(_ descriptor: Int32) -> Bool { state.withLock { $0.isOpen(descriptor) } }

  /// Removes a descriptor that is about to be closed.
  func remove(_ descriptor: Int32) {
    state.withLock { state in
      state.connections[descriptor] = nil
      state.positions[descriptor] = nil
    }
  }

  /// Closes a connection that must not be reused.
  func close(_ descriptor: Int32) { deadSocket.replaceSocket(of: descriptor) }

  /// Stores the read position of each connection.
  func sample() {
    state.withLock { state in
      state.positions = [:]
      for descriptor in state.connections.keys where state.isOpen(descriptor) {
        state.positions[descriptor] = ReadPosition(descriptor)
      }
    }
  }

  /// Updates the read positions of the connections whose bytes the system does not count.
  func updateSample() {
    state.withLock { state in
      for descriptor in state.positions.keys { state.positions[descriptor]?.update(descriptor) }
    }
  }

  /// Closes the connection from which the most bytes were read since `sample`, if they are at least `minimumFlood`.
  func closeBusiest() {
    state.withLock { state in
      let counts = state.positions.map { ($0.key, $0.value.count($0.key)) }
      guard let busiest = counts.max(by: { $0.1 < $1.1 }), busiest.1 >= Self.minimumFlood else { return }
      state.positions[busiest.0] = nil
      guard state.isOpen(busiest.0) else { return }
      closeFlooded(busiest.0, &state)
    }
  }

  /// Closes a connection whose exchanges must fail, on the loop's thread.
  func closeFlooded(_ descriptor: Int32) { state.withLock { closeFlooded(descriptor, &$0) } }

  private func closeFlooded(_ descriptor: Int32, _ state: inout State) {
    // Recorded first, because libcurl may report the end of the connection as the end of a response.
    let id = state.connections[descriptor]?.id ?? 0
    state.ended.append(EndedConnection(descriptor: descriptor, id: id, ports: SocketPorts(descriptor)))
    mayHaveEnded.store(true, ordering: .relaxed)
    close(descriptor)
  }

  /// Returns the connections that have been ended since the last call.
  func takeEndedConnections() -> [EndedConnection] {
    state.withLock { state in
      mayHaveEnded.store(false, ordering: .relaxed)
      defer { state.ended = [] }
      return state.ended
    }
  }
}
