import CLibcurl
import LupineCore
import LupineEventLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls for sockets, which libcurl and this module name by their descriptors.
enum Socket {
  /// Creates a socket for an address, without a connection.
  static func open(for address: UnsafePointer<curl_sockaddr>) throws(SystemError) -> Int32 {
    let descriptor = lupine_open_socket(address)
    guard descriptor >= 0 else { throw SystemError.last }
    return descriptor
  }

  static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

  /// The number of bytes read from a connection so far; `nil` if the system does not count them.
  static func bytesRead(_ descriptor: Int32) -> Int64? {
    let count = lupine_bytes_read(descriptor)
    return count >= 0 ? count : nil
  }

  /// The number of bytes written to a connection so far; `nil` if the system does not count them.
  static func bytesSent(_ descriptor: Int32) -> Int64? {
    let count = lupine_bytes_sent(descriptor)
    return count >= 0 ? count : nil
  }

  /// The number of bytes that have arrived and have not been read.
  static func bytesUnread(_ descriptor: Int32) -> Int32 { lupine_bytes_waiting(descriptor) }
}

/// Owns a socket whose peer is closed, which replaces a connection that must not be reused.
///
/// For libcurl, a connection with unread bytes is alive, even after `shutdown(2)`; a socket that reads as ended is not.
/// libcurl itself must close the descriptor, so the descriptor stays open with the dead socket behind it.
struct DeadSocket: ~Copyable {
  private let descriptor: Int32

  init() throws(LupineError) {
    descriptor = lupine_dead_socket()
    guard descriptor >= 0 else { throw SystemError.last.failure("A pair of sockets cannot be created") }
  }

  deinit { Socket.closeDescriptor(descriptor) }

  /// Closes the socket behind the descriptor and replaces it with the dead socket.
  func replaceSocket(of target: Int32) {
    if lupine_replace(target, descriptor) < 0 { shutdown(target, Int32(SHUT_RDWR)) }
  }
}
