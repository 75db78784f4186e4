import PeerSupport

/// A proxy on loopback that opens every tunnel and is itself the server behind it, with TLS for `localhost`.
final class TunnelPeer: Sendable {
  private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
  private let listener: LoopbackListener

  /// The URL of the proxy.
  var url: String { "http://127.0.0.1:\(listener.port)" }

  init() throws {
    listener = try LoopbackListener()
    listener.start { descriptor in
      let proxy = ClearConnection(descriptor)
      guard Self.readHead(proxy), proxy.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) else { return }
      guard let server = TLSConnection(descriptor, isMultiplexed: false) else { return }
      while Self.readHead(server), server.write(Self.answer) {}
    }
  }

  func stop() { listener.stop() }

  /// Reads the head of a request; false if the client ends the connection earlier.
  private static func readHead(_ wire: any WireConnection) -> Bool {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let byte = wire.read(1) else { return false }
      bytes += byte
    }
    return true
  }
}
