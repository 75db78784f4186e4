import COpenSSL

/// The rules by which a certificate names a host (RFC 9110 section 4.3.4, RFC 6125).
public enum HostName {
  /// Whether the certificate is for the host: a DNS name for a name, an address for an address.
  ///
  /// The common name does not count, a wildcard stands for one whole label, and a dot at the host's end is not looked at.
  public static func matches(_ host: String, _ certificate: OpaquePointer) -> Bool {
    guard let name = name(host) else { return false }
    // What OpenSSL cannot make of a damaged list of names is no match, and must not stand in the queue of errors.
    defer { ERR_clear_error() }
    if isAddress(name) { return X509_check_ip_asc(certificate, name, 0) == 1 }
    let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
    return X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
  }

  /// Whether it is an address rather than a name; an IPv6 address without brackets.
  public static func isAddress(_ host: String) -> Bool { address(host) != nil }

  /// The host without a dot at its end; `nil` where it is none.
  ///
  /// OpenSSL takes a name that begins with a dot for all the names below it.
  static func name(_ host: String) -> String? {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return name.isEmpty || name.hasPrefix(".") || name.utf8.contains(0) ? nil : name
  }

  /// The 4 or 16 bytes of an address; `nil` for a name.
  static func address(_ host: String) -> [UInt8]? {
    guard let octets = a2i_IPADDRESS(host) else {
      ERR_clear_error()
      return nil
    }
    defer { ASN1_OCTET_STRING_free(octets) }
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(octets), count: Int(ASN1_STRING_length(octets))))
  }
}
