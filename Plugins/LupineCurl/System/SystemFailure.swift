import Glibc
import LupineCore

/// Creates errors for system calls that fail when the loop starts or a connection is made.
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
