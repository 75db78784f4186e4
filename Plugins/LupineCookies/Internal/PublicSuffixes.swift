import CPSL

/// The Public Suffix List: the domains under which anyone can register names, from libpsl.
enum PublicSuffixes {
  /// The address of libpsl's list, the newer of the system's and the built-in one; 0 if there is none.
  ///
  /// The list is only read, which libpsl allows from any thread, and is never freed.
  private static let list = UInt(bitPattern: psl_latest(nil) ?? psl_builtin())

  /// Whether the domain is a public suffix; also true without a list, so that no cookie is shared too widely.
  ///
  /// - Parameter domain: a name in lower case; a trailing dot is ignored.
  static func contain(_ domain: String) -> Bool {
    guard let list = OpaquePointer(bitPattern: list) else { return true }
    return lupine_psl_is_public_suffix(list, domain.hasSuffix(".") ? String(domain.dropLast()) : domain) == 1
  }
}
