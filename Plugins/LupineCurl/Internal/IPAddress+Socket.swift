import CLibcurl
import LupineCore

extension IPAddress {
  /// The address that libcurl is about to connect to; nil where it is none of IP.
  ///
  /// One of IPv6 goes on behind the structure's end as it is declared, so it is never copied.
  init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
    var count: Int32 = 0
    guard let bytes = lupine_address_bytes(address, &count) else { return nil }
    self.init(bytes: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
  }
}
