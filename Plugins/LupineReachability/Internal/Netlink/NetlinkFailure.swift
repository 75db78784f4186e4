import Glibc
import LupineCore
import LupineSupport

/// The reason why netlink is unavailable.
struct NetlinkFailure: Error, Equatable {
  /// The errors of a request that may succeed if it is repeated.
  ///
  /// The socket's buffer is full (ENOBUFS), the kernel has no memory (ENOMEM), another dump is running (EBUSY), or the
  /// table changed too often (EINTR, EAGAIN).
  static let momentary: Set<Int32> = [ENOBUFS, ENOMEM, EBUSY, EINTR, EAGAIN]
  /// The error of a request whose answer did not fit into the socket's buffer.
  static let lostAnswer = ENOBUFS

  let message: String

  init(_ what: String, code: Int32 = errno) { message = "\(what): \(String(cString: strerror(code)))" }

  init(_ failure: SystemThread.Failure) { self.init("a thread cannot be started", code: failure.code) }
}
