import Glibc
package import LupineTesting
import PeerSupport
import Synchronization

/// A server on loopback that answers each connection once with the same bytes, valid or not.
package final class WirePeer: Sendable {
  /// The protocol of the connections: with or without TLS, HTTP/2 or HTTP/1.1.
  package struct Line: Sendable {
    package var isSecured = false
    package var isMultiplexed = false
    /// The number of requests that an HTTP/2 connection reads before the answer; an HTTP/1.1 connection reads one.
    ///
    /// With 0 the answer follows the first byte of the client.
    package var requests = 1

    package init(isSecured: Bool = false, isMultiplexed: Bool = false, requests: Int = 1) {
      self.requests = requests
      self.isSecured = isSecured
      self.isMultiplexed = isMultiplexed
    }
  }

  /// The action of the server after the last byte.
  package enum Ending: Sendable {
    /// Ends the connection in order: with TLS it sends close_notify, then FIN.
    case close
    /// Sends FIN without close_notify; with TLS that is a truncation.
    case cut
    case reset
    /// Waits for the client to end the connection.
    case none
  }

  /// How the bytes are divided into writes; with TLS, each write is one record.
  package enum Pieces: Sendable, CaseIterable {
    case whole, inTwo, bytes

    /// All ways to divide these bytes.
    package func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
      switch self {
      case .whole: [[bytes[...]]]
      case .inTwo: bytes.indices.dropFirst().map { [bytes[..<$0], bytes[$0...]] }
      case .bytes: [bytes.indices.map { bytes[$0...$0] }]
      }
    }
  }

  private let line: Line
  private let listener: LoopbackListener
  private let answer: (greeting: [UInt8], ending: Ending)
  private let next = Mutex<[ArraySlice<UInt8>]>([])
  private let count = Mutex(0)
  /// The newest connection, until it ends.
  private let current = Mutex<Int32?>(nil)
  /// Opened when an answer has been written.
  package let answered = Gate()
  /// Opened when a connection has ended.
  package let ended = Gate()

  package var requestCount: Int { count.withLock { $0 } }
  package var url: String { "\(line.isSecured ? "https://localhost" : "http://127.0.0.1"):\(listener.port)/" }

  /// - Parameter greeting: bytes that are written in one piece before the request is read, such as the SETTINGS of HTTP/2.
  package init(_ line: Line = Line(), greeting: [UInt8] = [], answer: [UInt8] = [], ending: Ending) throws {
    self.line = line
    self.answer = (greeting, ending)
    next.withLock { $0 = [answer[...]] }
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  /// Sets the pieces of the answer for the connections from now on.
  package func play(_ pieces: [ArraySlice<UInt8>]) { next.withLock { $0 = pieces } }

  /// Closes the listening socket; open connections end when their clients close them.
  package func stop() { listener.stop() }

  /// Adds a byte to the answer of the newest connection, which has no TLS; returns false if the connection has ended.
  package func drip(_ byte: UInt8) -> Bool {
    current.withLock { descriptor in
      descriptor.map { send($0, [byte], 1, Int32(MSG_NOSIGNAL)) == 1 } ?? false
    }
  }

  private func serve(_ descriptor: Int32) {
    current.withLock { $0 = descriptor }
    defer {
      current.withLock { if $0 == descriptor { $0 = nil } }
      ended.open()
    }
    let connection: (any WireConnection)? =
      line.isSecured ? TLSConnection(descriptor, isMultiplexed: line.isMultiplexed) : ClearConnection(descriptor)
    guard let connection, answer.greeting.isEmpty || connection.write(answer.greeting), hasRead(from: connection) else {
      return
    }
    count.withLock { $0 += 1 }
    let pieces = next.withLock { $0 }
    for piece in pieces where !piece.isEmpty {
      guard connection.write(Array(piece)) else { return }
    }
    answered.open()
    switch answer.ending {
    case .close: connection.end()
    case .cut, .none: break
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
      return
    }
    if answer.ending != .none { shutdown(descriptor, Int32(SHUT_WR)) }
    // Unread bytes would make the kernel reset the connection.
    var rest = [UInt8](repeating: 0, count: 4096)
    while recv(descriptor, &rest, rest.count, 0) > 0 {}
  }

  /// Reads the head of a request up to the empty line, or up to the HEADERS frame of the last request over HTTP/2.
  private func hasRead(from connection: any WireConnection) -> Bool {
    if line.requests == 0 { return connection.read(1) != nil }
    guard line.isMultiplexed else {
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
        guard let byte = connection.read(1) else { return false }
        head += byte
      }
      return true
    }
    guard connection.read(24) != nil else { return false }
    var left = line.requests
    while let head = connection.read(9) {
      let length = head[0..<3].reduce(0) { $0 << 8 | Int($1) }
      guard connection.read(length) != nil else { return false }
      if head[3] == 1 { left -= 1 }
      if left == 0 { return true }
    }
    return false
  }
}
