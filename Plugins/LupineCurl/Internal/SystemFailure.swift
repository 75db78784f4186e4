import Glibc
import LupineCore

/// Errors of the operating system that keep the loop from starting.
enum SystemFailure {
  static func error(_ what: String, code: Int32 = errno) -> LupineError {
    LupineError(.other, "\(what): \(String(cString: strerror(code))). Raise the limits of the process.")
  }
}
