import Glibc
package import LupineTesting
import Synchronization

/// A server of HTTP/2, with or without TLS, that sends the frames of a script, valid or invalid (RFC 9113).
///
/// It reads the client's frames, and calls the script at the end of each request, on the thread of the connection.
package final class HTTP2Peer: Sendable {
  /// A frame (RFC 9113 section 4.1).
  package struct Frame: Sendable {
    package var type: UInt8
    package var flags: UInt8
    package var stream: UInt32
    package var payload: [UInt8]
    /// The number of the connection that a received frame came over, from 0.
    package var connection = 0

    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
      self.type = type
      self.flags = flags
      self.stream = stream
      self.payload = payload
    }

    package var bytes: [UInt8] {
      let length = Self.bytes(UInt32(payload.count)).dropFirst()
      var bytes = Array(length)
      bytes += [type, flags]
      bytes += Self.bytes(stream)
      bytes += payload
      return bytes
    }

    package static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
  }

  /// A step of the script.
  package enum Step: Sendable {
    case send(Frame)
    /// Sends these bytes unchanged, such as a part of a frame.
    case raw([UInt8])
    /// Sends the same frame until the client closes the connection.
    case flood(Frame)
    /// Closes the connection; what the client has sent and the peer has not read makes the system reset it.
    case close
    /// Ends what the peer sends, and reads until the client closes the connection.
    case end
  }

  /// A received RST_STREAM frame.
  package struct Reset: Sendable, Hashable {
    package let stream: UInt32
    package let code: UInt32

    package init(stream: UInt32, code: UInt32) {
      self.stream = stream
      self.code = code
    }
  }

  private let listener: LoopbackListener
  private let script: @Sendable (_ stream: UInt32, _ number: Int) -> [Step]
  private let onHead: (@Sendable (_ stream: UInt32) -> [Step])?
  private let onFrame: (@Sendable (Frame) -> [Step])?
  private let settings: [UInt8]
  private let returnsWindow: Bool
  private let isSecured: Bool
  private let counts = Mutex((connections: 0, requests: 0))
  private let received = Mutex((resets: [Reset](), goAways: [UInt32](), blocks: [[UInt8]](), contentCount: 0))
  /// Opened when a client has closed a connection.
  package let ended = Gate()

  package var connectionCount: Int { counts.withLock { $0.connections } }
  package var requestCount: Int { counts.withLock { $0.requests } }
  /// The RST_STREAM frames of the clients.
  package var resets: [Reset] { received.withLock { $0.resets } }
  /// The codes of the GOAWAY frames of the clients.
  package var goAways: [UInt32] { received.withLock { $0.goAways } }
  /// The payloads of the HEADERS frames of the clients.
  package var blocks: [[UInt8]] { received.withLock { $0.blocks } }
  /// The number of bytes of content that the clients have sent.
  package var contentCount: Int { received.withLock { $0.contentCount } }
  package var url: String { "\(isSecured ? "https" : "http")://127.0.0.1:\(port)/" }

  /// - Parameters:
  ///   - settings: the payload of the first SETTINGS frame.
  ///   - isSecured: whether connections use TLS, with the certificate `localhost.pem`.
  ///   - returnsWindow: whether content that has been read returns its window to the client.
  ///   - hasSmallBuffer: whether a connection takes few bytes that the peer has not read.
  ///   - onHead: is called at the head of a request that has content.
  ///   - onFrame: is called with each frame of a client, before the other closures.
  package init(
    settings: [UInt8] = [], isSecured: Bool = false, returnsWindow: Bool = true, hasSmallBuffer: Bool = false,
    onHead: (@Sendable (_ stream: UInt32) -> [Step])? = nil,
    onFrame: (@Sendable (Frame) -> [Step])? = nil,
    script: @escaping @Sendable (_ stream: UInt32, _ number: Int) -> [Step]
  ) throws {
    self.script = script
    self.onHead = onHead
    self.onFrame = onFrame
    self.returnsWindow = returnsWindow
    self.settings = settings
    self.isSecured = isSecured
    listener = try LoopbackListener(hasSmallBuffer: hasSmallBuffer)
    listener.start { [self] descriptor in
      let number = counts.withLock { counts in
        counts.connections += 1
        return counts.connections - 1
      }
      let connection: (any WireConnection)? =
        isSecured ? TLSConnection(descriptor, isMultiplexed: true) : ClearConnection(descriptor)
      guard let connection else { return }
      serve(connection, number, descriptor)
      connection.end()
      ended.open()
    }
  }

  package var port: UInt16 { listener.port }

  /// Frees the port; each connection lasts until its client closes it.
  package func stop() { listener.stop() }

  private func serve(_ wire: any WireConnection, _ connection: Int, _ descriptor: Int32) {
    guard wire.read(24) != nil, wire.write(Frame(type: 4, payload: settings).bytes) else { return }
    while let head = wire.read(9) {
      let length = head[0..<3].reduce(0) { $0 << 8 | Int($1) }
      let stream = head[5..<9].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
      guard let payload = wire.read(length) else { return }
      record(head[3], stream, payload)
      if head[3] == 4, head[4] & 1 == 0 { _ = wire.write(Frame(type: 4, flags: 1).bytes) }
      if head[3] == 0, length > 0, returnsWindow, !returnWindow(length, of: stream, on: wire) { return }
      if let onFrame {
        var frame = Frame(type: head[3], flags: head[4], stream: stream, payload: payload)
        frame.connection = connection
        guard play(onFrame(frame), on: wire, descriptor) else { return }
      }
      if head[3] == 1, head[4] & 1 == 0, let onHead, !play(onHead(stream), on: wire, descriptor) { return }
      // HEADERS or DATA with END_STREAM: the request is complete.
      guard head[3] <= 1, head[4] & 1 == 1 else { continue }
      let number = counts.withLock { counts in
        counts.requests += 1
        return counts.requests - 1
      }
      guard play(script(stream, number), on: wire, descriptor) else { return }
    }
  }

  private func returnWindow(_ count: Int, of stream: UInt32, on wire: any WireConnection) -> Bool {
    let payload = Frame.bytes(UInt32(count))
    return wire.write(Frame(type: 8, payload: payload).bytes + Frame(type: 8, stream: stream, payload: payload).bytes)
  }

  /// Executes the steps; returns false if the connection is to be closed.
  private func play(_ steps: [Step], on wire: any WireConnection, _ descriptor: Int32) -> Bool {
    for step in steps {
      switch step {
      case .send(let frame): guard wire.write(frame.bytes) else { return false }
      case .raw(let bytes): guard wire.write(bytes) else { return false }
      case .flood(let frame): while wire.write(frame.bytes) {}
      case .close: return false
      case .end:
        wire.end()
        shutdown(descriptor, Int32(SHUT_WR))
      }
    }
    return true
  }

  private func record(_ type: UInt8, _ stream: UInt32, _ payload: [UInt8]) {
    received.withLock { received in
      if type == 0 { received.contentCount += payload.count }
      if type == 1 { received.blocks.append(payload) }
      if type == 3 { received.resets.append(Reset(stream: stream, code: payload.reduce(0) { $0 << 8 | UInt32($1) })) }
      if type == 7 { received.goAways.append(payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) }) }
    }
  }
}

extension HTTP2Peer.Frame {
  /// A field block of literals without indexing or Huffman coding (RFC 7541 section 6.2.2).
  ///
  /// Each name and each value has at most 126 bytes.
  package static func block(_ fields: [(String, String)]) -> [UInt8] {
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

  package static func head(_ stream: UInt32, status: Int = 200, _ fields: [(String, String)] = [], ends: Bool = false)
    -> Self
  {
    Self(type: 1, flags: ends ? 5 : 4, stream: stream, payload: block([(":status", "\(status)")] + fields))
  }

  package static func trailers(_ stream: UInt32, _ fields: [(String, String)]) -> Self {
    Self(type: 1, flags: 5, stream: stream, payload: block(fields))
  }

  package static func data(_ stream: UInt32, _ text: String, ends: Bool) -> Self {
    Self(type: 0, flags: ends ? 1 : 0, stream: stream, payload: Array(text.utf8))
  }

  package static func reset(_ stream: UInt32, code: UInt32) -> Self {
    Self(type: 3, stream: stream, payload: bytes(code))
  }

  package static func windowUpdate(_ stream: UInt32, by increment: UInt32) -> Self {
    Self(type: 8, stream: stream, payload: bytes(increment))
  }

  /// A SETTINGS frame with SETTINGS_INITIAL_WINDOW_SIZE.
  package static func initialWindow(_ size: UInt32) -> Self { Self(type: 4, payload: [0, 4] + bytes(size)) }

  /// A SETTINGS frame with SETTINGS_MAX_CONCURRENT_STREAMS.
  package static func maximumStreams(_ count: UInt32) -> Self { Self(type: 4, payload: [0, 3] + bytes(count)) }

  package static func goAway(last stream: UInt32, code: UInt32 = 0) -> Self {
    Self(type: 7, payload: bytes(stream) + bytes(code))
  }
}
