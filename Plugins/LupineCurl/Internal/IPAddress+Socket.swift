import CLibcurl
import LupineCore

extension IPAddress {
  /// The address that libcurl is about to connect to; nil where it is none of IP.
  init?(_ address: curl_sockaddr) {
    var address = address
    var count: Int32 = 0
    guard let bytes = lupine_address_bytes(&address, &count) else { return nil }
    self.init(bytes: Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
  }
}
