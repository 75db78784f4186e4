import Glibc
import Synchronization

/// A server of HTTP/2, with or without TLS, that sends the frames of a script, valid or invalid (RFC 9113).
///
/// It reads the client's frames, and calls the script at the end of each request, on the thread of the connection.
final class HTTP2Peer: Sendable {
  /// A frame (RFC 9113 section 4.1).
  struct Frame: Sendable {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []

    var bytes: [UInt8] {
      let length = Self.bytes(UInt32(payload.count)).dropFirst()
      var bytes = Array(length)
      bytes += [type, flags]
      bytes += Self.bytes(stream)
      bytes += payload
      return bytes
    }

    static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
  }

  /// A step of the script.
  enum Step: Sendable {
    case send(Frame)
    /// Sends these bytes unchanged, such as a part of a frame.
    case raw([UInt8])
    /// Sends the same frame until the client closes the connection.
    case flood(Frame)
    case close
  }

  let port: UInt16
  private let listener: Int32
  private let script: @Sendable (_ stream: UInt32, _ number: Int) -> [Step]
  private let settings: [UInt8]
  private let isSecured: Bool
  private let counts = Mutex((connections: 0, requests: 0))

  var connectionCount: Int { counts.withLock { $0.connections } }
  var requestCount: Int { counts.withLock { $0.requests } }
  var url: String { "\(isSecured ? "https" : "http")://127.0.0.1:\(port)/" }

  /// - Parameters:
  ///   - settings: the payload of the first SETTINGS frame.
  ///   - isSecured: whether connections use TLS, with the certificate `localhost.pem`.
  init(
    settings: [UInt8] = [], isSecured: Bool = false,
    script: @escaping @Sendable (_ stream: UInt32, _ number: Int) -> [Step]
  ) throws {
    self.script = script
    self.settings = settings
    self.isSecured = isSecured
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isReady = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isReady else { throw Failure() }
    port = UInt16(bigEndian: address.sin_port)
    Self.start { [self] in accept() }
  }

  struct Failure: Error {}

  /// Frees the port; each connection lasts until its client closes it.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      guard connection >= 0 else { break }
      counts.withLock { $0.connections += 1 }
      Self.start { [self] in
        guard let wire = PeerWire(connection, isSecured: isSecured) else {
          close(connection)
          return
        }
        serve(wire)
        wire.close()
      }
    }
    close(listener)
  }

  private func serve(_ wire: PeerWire) {
    guard wire.read(24) != nil, wire.write(Frame(type: 4, payload: settings).bytes) else { return }
    while let head = wire.read(9) {
      let length = head[0..<3].reduce(0) { $0 << 8 | Int($1) }
      let stream = head[5..<9].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
      guard wire.read(length) != nil else { return }
      if head[3] == 4, head[4] & 1 == 0 { _ = wire.write(Frame(type: 4, flags: 1).bytes) }
      // HEADERS or DATA with END_STREAM: the request is complete.
      guard head[3] <= 1, head[4] & 1 == 1 else { continue }
      let number = counts.withLock { counts in
        counts.requests += 1
        return counts.requests - 1
      }
      for step in script(stream, number) {
        switch step {
        case .send(let frame): guard wire.write(frame.bytes) else { return }
        case .raw(let bytes): guard wire.write(bytes) else { return }
        case .flood(let frame): while wire.write(frame.bytes) {}
        case .close: return
        }
      }
    }
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func start(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(run))
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    if code == 0 { pthread_detach(thread) } else { work.release() }
  }
}

extension HTTP2Peer.Frame {
  /// A field block of literals without indexing or Huffman coding (RFC 7541 section 6.2.2).
  ///
  /// Each name and each value has at most 126 bytes.
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields {
      bytes.append(0)
      for text in [name, value] {
        bytes.append(UInt8(text.utf8.count))
        bytes += Array(text.utf8)
      }
    }
    return bytes
  }

  static func head(_ stream: UInt32, status: Int = 200, _ fields: [(String, String)] = [], ends: Bool = false) -> Self {
    Self(type: 1, flags: ends ? 5 : 4, stream: stream, payload: block([(":status", "\(status)")] + fields))
  }

  static func trailers(_ stream: UInt32, _ fields: [(String, String)]) -> Self {
    Self(type: 1, flags: 5, stream: stream, payload: block(fields))
  }

  static func data(_ stream: UInt32, _ text: String, ends: Bool) -> Self {
    Self(type: 0, flags: ends ? 1 : 0, stream: stream, payload: Array(text.utf8))
  }

  static func reset(_ stream: UInt32, code: UInt32) -> Self { Self(type: 3, stream: stream, payload: bytes(code)) }

  static func goAway(last stream: UInt32, code: UInt32 = 0) -> Self {
    Self(type: 7, payload: bytes(stream) + bytes(code))
  }
}
