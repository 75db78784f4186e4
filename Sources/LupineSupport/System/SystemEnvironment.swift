#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads the environment of the process and the properties of the system.
public enum SystemEnvironment {
  /// The value of an environment variable; `nil` if it is not set.
  public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The kernel's name, such as `Linux`, its release and the machine, such as `x86_64` (POSIX `uname`).
  public static var kernel: (name: String, release: String, machine: String) {
    var system = utsname()
    uname(&system)
    return (text(&system.sysname), text(&system.release), text(&system.machine))
  }

  private static func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
