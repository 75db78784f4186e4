import Glibc
import LupineCore

/// Errors of the operating system that keep the loop from starting, or a connection from being made.
enum SystemFailure {
  static func error(_ what: String, code: Int32 = errno) -> LupineError {
    let advice =
      switch code {
      case EMFILE:
        "The process has as many descriptors as it may (EMFILE): let it close some, or raise its limit (ulimit -n)."
      case ENFILE: "The system has as many open files as it may (ENFILE): raise fs.file-max."
      default: "Raise the limits of the process."
      }
    return LupineError(.other, "\(what): \(String(cString: strerror(code))). \(advice)")
  }
}
