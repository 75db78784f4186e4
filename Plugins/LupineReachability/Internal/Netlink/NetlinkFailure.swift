import Glibc
import LupineCore
import LupineSupport

/// Why netlink is not to be had.
struct NetlinkFailure: Error, Equatable {
  /// The errors of a question that the kernel could not answer at that moment and may answer if it is asked again.
  ///
  /// Its messages fill the socket (ENOBUFS), it has no memory (ENOMEM), it is still answering another question (EBUSY),
  /// or the table changed too often (EINTR, EAGAIN).
  static let momentary: Set<Int32> = [ENOBUFS, ENOMEM, EBUSY, EINTR, EAGAIN]
  /// The error of a question whose answer did not fit into the socket.
  static let lostAnswer = ENOBUFS

  let message: String

  init(_ what: String, code: Int32 = errno) { message = "\(what): \(String(cString: strerror(code)))" }

  init(_ failure: SystemThread.Failure) { self.init("a thread cannot be started", code: failure.code) }
}
