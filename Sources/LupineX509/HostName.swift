import COpenSSL

/// The rules for matching a certificate with a host (RFC 9110 section 4.3.4, RFC 6125).
public enum HostName {
  /// Whether the certificate matches the host: a DNS name for a name, an IP address for an address.
  ///
  /// The common name does not count. A wildcard matches exactly one label. A dot at the end of the host is ignored.
  public static func matches(_ host: String, _ certificate: OpaquePointer) -> Bool {
    guard let name = name(withoutZone(host)) else { return false }
    // Errors from a damaged list of names must not stay in OpenSSL's error queue.
    defer { ERR_clear_error() }
    if isAddress(name) { return X509_check_ip_asc(certificate, name, 0) == 1 }
    let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
    return X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
  }

  /// Whether the host is an IP address; an IPv6 address has no brackets.
  public static func isAddress(_ host: String) -> Bool { address(withoutZone(host)) != nil }

  /// Returns an IPv6 address without its zone, which no certificate contains.
  private static func withoutZone(_ host: String) -> String {
    host.utf8.contains(0x3A) ? String(host.prefix { $0 != "%" }) : host
  }

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

/// The name constraints of an authority (RFC 5280 section 4.2.1.10), checked against the requested host.
///
/// OpenSSL only checks the names in the certificate. An exclusion of `bar.example.com` does not match the name
/// `*.example.com`, but it matches the host `bar.example.com`.
public struct NameConstraints: ~Copyable {
  private enum List: Int32 {
    case permitted = 0
    case excluded = 1
  }

  private let pointer: UnsafeMutablePointer<NAME_CONSTRAINTS>

  /// Whether all authorities of a verified chain may sign for the host.
  ///
  /// The authorities are all certificates after the first one, including the root.
  public static func permit(_ host: String, by chain: OpaquePointer?) -> Bool {
    (1..<max(1, lupine_certificates_count(chain))).allSatisfy { index in
      lupine_certificates_at(chain, index).map { permits(host, $0) } ?? false
    }
  }

  /// Whether an authority may sign for the host; false if its constraints cannot be read.
  public static func permits(_ host: String, _ authority: OpaquePointer) -> Bool {
    var place: Int32 = 0
    guard let extensionValue = X509_get_ext_d2i(authority, NID_name_constraints, &place, nil) else {
      ERR_clear_error()
      return place == -1
    }
    return NameConstraints(pointer: extensionValue.assumingMemoryBound(to: NAME_CONSTRAINTS.self)).permit(host)
  }

  private init(pointer: UnsafeMutablePointer<NAME_CONSTRAINTS>) { self.pointer = pointer }

  deinit { NAME_CONSTRAINTS_free(pointer) }

  private func permit(_ host: String) -> Bool {
    // The zone of a link-local address is no part of the name that a certificate has.
    guard let name = HostName.name(String(host.prefix { $0 != "%" })) else { return false }
    let address = HostName.address(name)
    let kind = address == nil ? GEN_DNS : GEN_IPADD
    let value = address ?? Array(name.lowercased().utf8)
    let covers = address == nil ? Self.covers(name:_:) : Self.covers(address:_:)
    let permitted = subtrees(.permitted, kind)
    return (permitted.isEmpty || permitted.contains { covers(value, $0) })
      && !subtrees(.excluded, kind).contains { covers(value, $0) }
  }

  private func subtrees(_ list: List, _ kind: Int32) -> [[UInt8]] {
    (0..<lupine_subtrees_count(pointer, list.rawValue)).compactMap { index in
      var bytes: UnsafePointer<UInt8>?
      var count: Int32 = 0
      guard lupine_subtree(pointer, list.rawValue, index, &bytes, &count) == kind else { return nil }
      return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
  }

  /// Whether a domain equals the name or is above it.
  ///
  /// A domain with a leading dot, which some authorities use, covers only the names below it. An empty domain covers
  /// every name.
  private static func covers(name: [UInt8], _ domain: [UInt8]) -> Bool {
    let domain = String(decoding: domain, as: UTF8.self).lowercased().utf8
    guard name.count >= domain.count, name.suffix(domain.count).elementsEqual(domain) else { return false }
    let dot = UInt8(ascii: ".")
    return name.count == domain.count || domain.isEmpty || domain.first == dot
      || name[name.count - domain.count - 1] == dot
  }

  /// Whether an address belongs to a block, which is an address followed by a mask of the same length.
  private static func covers(address: [UInt8], _ block: [UInt8]) -> Bool {
    guard block.count == 2 * address.count else { return false }
    return address.indices.allSatisfy { index in
      let mask = block[address.count + index]
      return address[index] & mask == block[index] & mask
    }
  }
}
