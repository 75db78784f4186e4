import Glibc

/// Says which system call failed while a loopback socket or one of its threads was set up, and why.
public struct SocketFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the call, as in `bind`.
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
