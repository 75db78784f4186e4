import CLibcurl
import Glibc
import LupineCore

/// Owns a socket whose peer is closed, which replaces a connection that must not be reused.
///
/// For libcurl, a connection with unread bytes is alive, even after `shutdown(2)`; a socket that reads as ended is not.
/// libcurl itself must close the descriptor, so the descriptor stays open with the dead socket behind it.
struct DeadSocket: ~Copyable {
  private let descriptor: Int32

  init() throws(LupineError) {
    descriptor = lupine_dead_socket()
    guard descriptor >= 0 else { throw SystemFailure.error("A pair of sockets cannot be made") }
  }

  deinit { close(descriptor) }

  /// Closes the socket behind the descriptor and replaces it with the dead socket.
  func replace(_ target: Int32) {
    if lupine_replace(target, descriptor) < 0 { shutdown(target, Int32(SHUT_RDWR)) }
  }
}
