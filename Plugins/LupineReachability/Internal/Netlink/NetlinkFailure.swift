import Glibc
import LupineCore
import LupineSupport

/// Why netlink is not to be had.
struct NetlinkFailure: Error, Equatable {
  let message: String

  init(_ what: String, code: Int32 = errno) { message = "\(what): \(String(cString: strerror(code)))" }

  init(_ failure: SystemThread.Failure) { self.init("a thread cannot be started", code: failure.code) }
}
