import CLibcurl
import LupineCore

extension IPAddress {
  /// Reads the address that libcurl is about to connect to; nil if it is not an IP address.
  ///
  /// An IPv6 address extends beyond the declared structure, so the structure must not be copied.
  init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
    var count: Int32 = 0
    guard let bytes = lupine_address_bytes(address, &count) else { return nil }
    self.init(bytes: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
  }
}
