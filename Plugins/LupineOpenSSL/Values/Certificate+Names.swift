import COpenSSL
public import FoundationEssentials
import LupineCore
import LupineX509

extension Certificate {
  /// The DNS names and IP addresses of the subject alternative name (RFC 5280 section 4.2.1.6).
  ///
  /// Addresses have the form of `HTTPURL.host`. A name with a byte that is not printable ASCII is omitted, because it
  /// matches no host.
  public var names: [String] {
    guard let list = lupine_names(handle.pointer) else { return [] }
    defer { GENERAL_NAMES_free(list) }
    return (0..<lupine_names_count(list)).compactMap { index in
      var bytes: UnsafePointer<UInt8>?
      var count: Int32 = 0
      let kind = lupine_name(list, index, &bytes, &count)
      guard let bytes, count >= 0 else { return nil }
      let buffer = UnsafeBufferPointer(start: bytes, count: Int(count))
      switch kind {
      case GEN_DNS: return Self.name(buffer)
      case GEN_IPADD: return IPAddress(bytes: Array(buffer))?.description
      default: return nil
      }
    }
  }

  /// Whether the certificate matches the host: a DNS name for a name, an IP address for an address.
  ///
  /// The common name does not count. A wildcard matches exactly one label. A dot at the end of the host is ignored (RFC
  /// 9110 section 4.3.4, RFC 6125). A text that begins with a dot matches nothing. The method does not check the
  /// authorities' name constraints; the evaluators check them after the verification of the chain.
  public func matches(host: String) -> Bool {
    HostName.matches(host, handle.pointer)
  }

  /// Whether the certificate requires a stapled OCSP response (RFC 7633).
  public var demandsStapledOCSPResponse: Bool {
    lupine_demands_staple(handle.pointer) == 1
  }

  /// Whether the certificate is valid at this date.
  public func isValid(at date: Date) -> Bool { notBefore <= date && date <= notAfter }

  private static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
