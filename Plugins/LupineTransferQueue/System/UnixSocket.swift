import CSockets
import LupineCore
import LupineSQLiteConnection

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A Unix-domain socket in the folder of a queue.
///
/// The address of such a socket has room for 107 bytes. A longer path is reached through the descriptor of the folder.
struct UnixSocket {
  /// The process at the other end.
  struct Peer {
    let process: Int32
    let user: UInt32

    /// Whether it is a process of this user.
    var isOwn: Bool { user == geteuid() }
  }

  private static let longestPath = 107

  let folder: QueueFolder
  let name: String

  var path: String { "\(folder.path)/\(name)" }

  /// Listens at the name, in the place of a socket that an ended process has left.
  ///
  /// Call it only while this process holds the lock that belongs to the name.
  func listener() throws(LupineError) -> Descriptor {
    if let status = FileStatus.of(path), status.isFolder || !status.isOwn { try folder.store.setAside(path) }
    if unlink(path) != 0, errno != ENOENT { throw LupineError.file("cannot be removed", path, code: errno) }
    let socket = try makeSocket(isBlocking: false)
    let code = withAddress { bind(socket.number, $0, $1) }
    guard code == 0 else { throw LupineError.file("cannot be made a socket", path, code: code) }
    // Nobody can connect before the socket listens.
    guard chmod(path, 0o600) == 0, listen(socket.number, 64) == 0 else {
      throw LupineError.file("cannot be listened at", path, code: errno)
    }
    return socket
  }

  /// Connects to the process that listens.
  ///
  /// - Parameter patience: the maximum time for the connection, and for each later call with it.
  /// - Returns: `nil` if no process listens.
  func connection(patience: Duration) throws(LupineError) -> Descriptor? {
    let socket = try makeSocket(isBlocking: true)
    var limit = timeval()
    let milliseconds = Int(max(1, min(patience / .milliseconds(1), 1e9)))
    limit.tv_sec = .init(milliseconds / 1000)
    limit.tv_usec = .init(milliseconds % 1000 * 1000)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket.number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let code = withAddress { connect(socket.number, $0, $1) }
    switch code {
    case 0: break
    case ENOENT, ECONNREFUSED: return nil
    default: throw LupineError.file("cannot be connected to", path, code: code)
    }
    guard Self.peer(of: socket.number)?.isOwn == true else {
      throw LupineError.file(path, code: EACCES, message: "A process of another user listens at \(path).")
    }
    return socket
  }

  private func makeSocket(isBlocking: Bool) throws(LupineError) -> Descriptor {
    #if canImport(Darwin)
      let opened = Descriptor(socket(AF_UNIX, SOCK_STREAM, 0))
    #elseif canImport(Glibc)
      let flags = SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
      let opened = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | flags), 0))
    #else
      let opened = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (isBlocking ? 0 : SOCK_NONBLOCK), 0))
    #endif
    guard let opened else { throw LupineError.file("cannot be reached, because there is no socket", path, code: errno) }
    return opened
  }

  /// Calls the closure with the address; returns the system's error number, or 0.
  private func withAddress(_ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    guard path.utf8.count > Self.longestPath else { return Self.withAddress(path, use) }
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    guard let opened = Descriptor(open(folder.path, flags)) else { return errno }
    return Self.withAddress("/proc/self/fd/\(opened.number)/\(name)", use)
  }

  private static func withAddress(_ path: String, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isCopied = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard path.utf8.count < bytes.count else { return false }
      bytes.copyBytes(from: path.utf8)
      return true
    }
    guard isCopied else { return ENAMETOOLONG }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, size) == 0 ? 0 : errno }
    }
  }

  /// Sends bytes without waiting; `nil` if the connection has failed.
  ///
  /// - Returns: the number of bytes that were sent, which may be 0.
  static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Int? {
    let sent = bytes.withUnsafeBytes {
      #if canImport(Darwin)
        Darwin.send(socket, $0.baseAddress, $0.count, MSG_DONTWAIT)
      #elseif canImport(Glibc)
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      #elseif canImport(Musl)
        Musl.send(socket, $0.baseAddress, $0.count, MSG_DONTWAIT | MSG_NOSIGNAL)
      #else
        Android.send(socket, $0.baseAddress, $0.count, MSG_DONTWAIT | MSG_NOSIGNAL)
      #endif
    }
    if sent >= 0 { return sent }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// The number of this process.
  static var thisProcess: Int32 { getpid() }

  /// The process at the other end of a connection; `nil` if the system cannot tell it.
  static func peer(of socket: Int32) -> Peer? {
    // `struct ucred`, which Swift does not import: the numbers of the process, the user and the group.
    var numbers: (Int32, UInt32, UInt32) = (0, .max, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: numbers))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &numbers, &size) == 0, size == 12 else { return nil }
    return Peer(process: numbers.0, user: numbers.1)
  }

  /// Lets the process that has a lock listen, or release the lock: waits for 10 milliseconds, because there is no
  /// descriptor to wait for.
  static func waitForOwner() { _ = poll(nil, 0, 10) }

  /// Takes the next connection of a listener; neither of them blocks.
  ///
  /// - Returns: `nil` if there is none; `errno` says why.
  static func accepted(by listener: Int32) -> Descriptor? {
    Descriptor(lupine_socket_accept(listener))
  }
}
