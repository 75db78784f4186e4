import Glibc
import LupineCore

/// The remote address of a connection, in libcurl's form and as text.
struct RemoteAddress {
  let text: String
  /// `nil` if the connection has no IP address.
  let address: IPAddress?
  private let host: [CChar]
  private let port: Int32

  init(_ address: UnsafePointer<CChar>?, _ port: Int32) {
    let host = address.map { String(cString: $0) } ?? ""
    self.host = Array(host.utf8CString)
    self.port = port
    self.address = IPAddress(String(host.prefix { $0 != "%" }))
    text = host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  func isSame(_ address: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
    guard let address, port == self.port else { return false }
    return strcmp(address, host) == 0
  }
}
