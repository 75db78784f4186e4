import CLibcurl
import Glibc
import LupineCore

/// Owns a socket whose peer is gone, to put in the place of a connection that must not be used again.
///
/// A connection that has bytes waiting looks alive to libcurl, even when it has been shut. One that reads as ended does
/// not; and it is libcurl that has to close the descriptor, whatever is behind it.
struct DeadSocket: ~Copyable {
  private let descriptor: Int32

  init() throws(LupineError) {
    descriptor = lupine_dead_socket()
    guard descriptor >= 0 else { throw SystemFailure.error("A pair of sockets cannot be made") }
  }

  deinit { close(descriptor) }

  /// Closes what is behind the descriptor and puts the dead socket there.
  func replace(_ target: Int32) {
    if lupine_replace(target, descriptor) < 0 { shutdown(target, Int32(SHUT_RDWR)) }
  }
}
