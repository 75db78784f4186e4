/// A version of TLS that a session may ask for; older ones are never spoken.
public enum TLSVersion: String, Sendable, Hashable, Comparable, CaseIterable {
  /// TLS 1.2 (RFC 5246).
  case tls1_2 = "TLSv1.2"
  /// TLS 1.3 (RFC 8446).
  case tls1_3 = "TLSv1.3"

  /// Orders versions by their age.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left == .tls1_2 && right == .tls1_3 }
}
