import CPSL

/// The list of domains under which anybody can register names, as libpsl has it.
enum PublicSuffixes {
  /// The newer of the system's list and the one in the library; 0 where there is none.
  ///
  /// It is read alone from here on, which libpsl allows from any thread, and lives as long as the program.
  private static let list = UInt(bitPattern: psl_latest(nil) ?? psl_builtin())

  /// Whether nobody owns the domain as a whole; also true without a list, so that no cookie is shared too widely.
  ///
  /// - Parameter domain: a name in lower case; a trailing dot makes no difference.
  static func contain(_ domain: String) -> Bool {
    guard let list = OpaquePointer(bitPattern: list) else { return true }
    return lupine_psl_is_public_suffix(list, domain.hasSuffix(".") ? String(domain.dropLast()) : domain) == 1
  }
}
