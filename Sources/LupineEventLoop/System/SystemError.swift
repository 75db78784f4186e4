public import LupineCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error code of the operating system.
public struct SystemError: Error, Equatable {
  /// The error number.
  public let code: Int32

  /// Wraps an error number.
  public init(code: Int32) { self.code = code }

  /// The code of the calling thread's last system call, which must have failed.
  public static var last: SystemError { SystemError(code: errno) }

  /// The peer has reset the connection.
  public static let connectionReset = SystemError(code: ECONNRESET)

  /// The socket is not connected.
  public static let notConnected = SystemError(code: ENOTCONN)

  /// The system's text for the code.
  public var text: String { String(cString: strerror(code)) }

  /// Whether the process or the system has no descriptor left.
  public var isDescriptorShortage: Bool { code == EMFILE || code == ENFILE }

  /// Whether the peer refused the connection.
  public var isRefusal: Bool { code == ECONNREFUSED }

  /// Whether there is no route to the peer.
  public var isUnreachable: Bool { [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN].contains(code) }

  /// Creates the error of an exchange for which the system lacks a resource.
  ///
  /// - Parameter what: what failed, as the start of a sentence.
  public func failure(_ what: String) -> LupineError {
    let advice =
      switch code {
      case EMFILE:
        "The process has reached its limit of descriptors (EMFILE): close some, or raise the limit (ulimit -n)."
      case ENFILE: "The system has reached its limit of open files (ENFILE): raise fs.file-max."
      default: "Raise the limits of the process."
      }
    return LupineError(.other, "\(what): \(text). \(advice)")
  }
}

extension LupineError {
  /// The error of an exchange whose transport has been shut down.
  public static let transportShutDown = LupineError(
    .sessionShutDown, "The transport has been shut down; make a new one for further requests.")
}
