import LupineCore

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
struct SystemError: Error, Equatable {
  let code: Int32

  /// The code of the calling thread's last system call, which must have failed.
  static var last: SystemError { SystemError(code: errno) }

  /// The system's text for the code.
  var text: String { String(cString: strerror(code)) }

  /// Whether the process or the system has no descriptor left.
  var isDescriptorShortage: Bool { code == EMFILE || code == ENFILE }

  /// Whether the peer refused the connection.
  var isRefusal: Bool { code == ECONNREFUSED }

  /// Whether there is no route to the peer.
  var isUnreachable: Bool { [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN].contains(code) }

  /// Creates the error of an exchange for which the system lacks a resource.
  ///
  /// - Parameter what: what failed, as the start of a sentence.
  func failure(_ what: String) -> LupineError {
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
