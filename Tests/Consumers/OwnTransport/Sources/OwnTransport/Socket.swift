import Glibc
import LupineCore
import Synchronization

/// Wakes the thread of an exchange, which otherwise waits for its connection.
///
/// It uses a pair of sockets, not `shutdown(2)`: the thread must also continue when the request's body has bytes or the
/// sink has room, and no other thread then uses the descriptor of the connection.
final class Wakeup: Sendable {
  /// The information from other threads for the thread of the exchange.
  struct State {
    /// The reason why the exchange is ended early.
    var ending: LupineError?
    /// Whether the sink of a paused body has room again.
    var hasRoom = false
    /// The result of the name lookup.
    var answer: Result<[IPAddress], LupineError>?
  }

  private let state = Mutex(State())
  private let readingEnd: Int32
  private let writingEnd: Int32

  init() throws(LupineError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw systemFailure("A socket cannot be made", errno) }
    readingEnd = ends[0]
    writingEnd = ends[1]
  }

  deinit {
    close(readingEnd)
    close(writingEnd)
  }

  /// Changes the state and wakes the thread.
  func update(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    var byte: UInt8 = 0
    // If the pair is full, unread bytes already wake the thread.
    _ = write(writingEnd, &byte, 1)
  }

  /// Reads or changes the state without waking the thread.
  func read<Value>(_ body: (inout State) -> sending Value) -> sending Value { state.withLock { body(&$0) } }

  /// Ends the exchange; later calls do not replace the reason.
  func end(_ reason: LupineError) { update { $0.ending = $0.ending ?? reason } }

  /// Waits for events of the socket, for an update, or until the deadline; returns the events of the socket.
  func wait(for events: Int32, on socket: Socket?, until deadline: ContinuousClock.Instant?) -> Int32 {
    // Without events the socket is not watched, because a hang-up would end every wait at once.
    let descriptor = events == 0 ? -1 : socket?.descriptor ?? -1
    var watched = [
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
      pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&watched, 2, Self.milliseconds(until: deadline)) > 0 else { return 0 }
    if watched[1].revents != 0 {
      var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
      _ = Glibc.read(readingEnd, &bytes, bytes.count)
    }
    return Int32(watched[0].revents)
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
    return Int32(min(max(0, rest.rounded(.up)), 1_000_000))
  }
}

/// A TCP connection; closed with its last reference.
final class Socket: Sendable {
  let descriptor: Int32
  /// The address and port of the peer.
  let name: String

  /// Begins to connect; the socket is writable when it is connected, or has failed.
  init(_ address: IPAddress, port: Int) throws(LupineError) {
    let isIPv6 = address.family == .ipv6
    name = isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw systemFailure("A socket cannot be made", errno) }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let bytes = Self.socketAddress(address, port)
    let code = bytes.withUnsafeBytes { bytes in
      let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      return connect(descriptor, address, socklen_t(bytes.count)) == 0 ? 0 : errno
    }
    if code != 0, code != EINPROGRESS { throw connectFailure(code) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The bytes of a `sockaddr_in` or a `sockaddr_in6`.
  private static func socketAddress(_ address: IPAddress, _ port: Int) -> [UInt8] {
    let isIPv6 = address.family == .ipv6
    let family = withUnsafeBytes(of: sa_family_t(isIPv6 ? AF_INET6 : AF_INET)) { Array($0) }
    let front = family + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
    return front + (isIPv6 ? [0, 0, 0, 0] + address.bytes + [0, 0, 0, 0] : address.bytes + [0, 0, 0, 0, 0, 0, 0, 0])
  }

  /// Throws if the connection could not be made.
  func checkConnected() throws(LupineError) {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw connectFailure(errno) }
    if code != 0 { throw connectFailure(code) }
  }

  /// Whether an idle connection is open and its peer has sent nothing.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) < 0 && errno == EAGAIN
  }
}

/// Runs the work on a new thread.
func startThread(_ work: @escaping @Sendable () -> Void) throws(LupineError) {
  let box = Unmanaged.passRetained(ThreadWork(work))
  var thread = pthread_t()
  let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
    if let argument { Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
  }
  let code = pthread_create(&thread, nil, main, box.toOpaque())
  guard code == 0 else {
    box.release()
    throw systemFailure("A thread cannot be made", code)
  }
  pthread_detach(thread)
}

private final class ThreadWork: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

func systemFailure(_ what: String, _ code: Int32) -> LupineError {
  LupineError(.other, "\(what): \(String(cString: strerror(code))).")
}

private func connectFailure(_ code: Int32) -> LupineError {
  let kind: LupineError.Kind =
    switch code {
    case ECONNREFUSED: .connectionRefused
    case ENETUNREACH, EHOSTUNREACH: .networkUnreachable
    case ETIMEDOUT: .timedOut(.connect)
    default: .connectionFailed
    }
  return LupineError(kind, "The connection cannot be made: \(String(cString: strerror(code))).")
}
