import Glibc

/// The failed system call during the setup of a loopback socket or its threads, and its error.
public struct SocketFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the call, such as `bind`.
  public let call: String
  /// The value of `errno`.
  public let code: Int32

  init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  /// A line such as `bind: Address already in use`.
  public var description: String {
    "\(call): \(String(cString: strerror(code)))"
  }
}
