import COpenSSL

/// The rules for matching a certificate with a host (RFC 9110 section 4.3.4, RFC 6125).
public enum HostName {
  /// Whether the certificate matches the host: a DNS name for a name, an IP address for an address.
  ///
  /// The common name does not count. A wildcard matches exactly one label. A dot at the end of the host is ignored.
  public static func matches(_ host: String, _ certificate: OpaquePointer) -> Bool {
    guard let name = name(host) else { return false }
    // Errors from a damaged list of names must not stay in OpenSSL's error queue.
    defer { ERR_clear_error() }
    if isAddress(name) { return X509_check_ip_asc(certificate, name, 0) == 1 }
    let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
    return X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
  }

  /// Whether the host is an IP address; an IPv6 address has no brackets.
  public static func isAddress(_ host: String) -> Bool { address(host) != nil }

  /// Returns the host without a dot at its end; `nil` if it is not a valid host.
  ///
  /// OpenSSL would match a name that begins with a dot with all names below it.
  static func name(_ host: String) -> String? {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return name.isEmpty || name.hasPrefix(".") || name.utf8.contains(0) ? nil : name
  }

  /// Returns the 4 or 16 bytes of an address; `nil` for a name.
  static func address(_ host: String) -> [UInt8]? {
    guard let octets = a2i_IPADDRESS(host) else {
      ERR_clear_error()
      return nil
    }
    defer { ASN1_OCTET_STRING_free(octets) }
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(octets), count: Int(ASN1_STRING_length(octets))))
  }
}
