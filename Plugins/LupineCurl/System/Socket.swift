import CLibcurl
import CSockets
import LupineCore
import LupineEventLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls for sockets, which libcurl and this module name by their descriptors.
enum Socket {
  /// The number of the interface of a URL's link-local address; 0 for any other host, or if there is no such interface.
  static func interfaceNumber(of url: HTTPURL) -> Int {
    guard url.hostKind == .ipv6, let zone = IPAddress(host: url.host)?.zone else { return 0 }
    return Int(lupine_interface_number(zone))
  }

  /// Creates a socket for an address, without a connection.
  static func open(for address: UnsafePointer<curl_sockaddr>) throws(SystemError) -> Int32 {
    let descriptor = lupine_open_socket(address)
    guard descriptor >= 0 else { throw SystemError.last }
    return descriptor
  }

  /// Begins to connect a socket to an address; nil if that is not possible.
  ///
  /// - Parameters:
  ///   - local: the address of this machine that the connection comes from.
  ///   - probes: the interval of keep-alive probes. Default: 60 seconds.
  static func connect(to address: IPAddress, port: Int, from local: IPAddress?, probes: Duration?) -> Int32? {
    let descriptor = lupine_socket_open(address.family == .ipv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { return nil }
    lupine_socket_send_at_once(descriptor)
    lupine_socket_probe(descriptor, Int32(clamping: max(1, (probes ?? .seconds(60)).components.seconds)))
    var code: Int32 = 0
    if let local { code = lupine_socket_bind(descriptor, local.bytes, Int32(local.bytes.count)) }
    if code == 0 {
      code = lupine_socket_connect(
        descriptor, address.bytes, Int32(address.bytes.count), address.zone, UInt16(clamping: port))
    }
    if code == 0 || code == EINPROGRESS { return descriptor }
    closeDescriptor(descriptor)
    return nil
  }

  /// Whether a socket is connected, or false while it connects; nil if it has failed.
  static func isConnected(_ descriptor: Int32) -> Bool? {
    switch lupine_socket_state(descriptor) {
    case 0: true
    case EINPROGRESS: false
    default: nil
    }
  }

  /// Makes the descriptor `target` refer to the socket of `descriptor`, and closes the previous socket of `target`.
  static func replace(_ target: Int32, with descriptor: Int32) -> Bool { lupine_replace(target, descriptor) >= 0 }

  /// Identifies the socket behind a descriptor, whose number the system uses again after the socket is closed.
  struct Identity: Equatable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` if the descriptor is closed.
    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

  /// The number of bytes read from a connection so far; `nil` if the system does not count them.
  static func bytesRead(_ descriptor: Int32) -> Int64? {
    let count = lupine_bytes_read(descriptor)
    return count >= 0 ? count : nil
  }

  /// The number of bytes written to a connection so far; `nil` if the system does not count them.
  static func bytesSent(_ descriptor: Int32) -> Int64? {
    let count = lupine_bytes_sent(descriptor)
    return count >= 0 ? count : nil
  }

  /// The number of bytes that have arrived and have not been read.
  static func bytesUnread(_ descriptor: Int32) -> Int32 { lupine_bytes_waiting(descriptor) }
}

/// Owns a socket whose peer is closed, which replaces a connection that must not be reused.
///
/// For libcurl, a connection with unread bytes is alive, even after `shutdown(2)`; a socket that reads as ended is not.
/// libcurl itself must close the descriptor, so the descriptor stays open with the dead socket behind it.
struct DeadSocket: ~Copyable {
  private let descriptor: Int32

  init() throws(LupineError) {
    descriptor = lupine_dead_socket()
    guard descriptor >= 0 else { throw SystemError.last.failure("A pair of sockets cannot be created") }
  }

  deinit { Socket.closeDescriptor(descriptor) }

  /// Closes the socket behind the descriptor and replaces it with the dead socket.
  func replaceSocket(of target: Int32) {
    if lupine_replace(target, descriptor) < 0 { shutdown(target, Int32(SHUT_RDWR)) }
  }
}
