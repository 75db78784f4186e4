package import LupineCore
import LupineFixtures
package import LupineTesting

/// A server with TLS on loopback that sends records without end which OpenSSL itself would not send.
///
/// OpenSSL makes the handshake. The peer takes the keys from the key log, and composes the records of the flood itself.
package final class RecordPeer: Sendable {
  private let flood: RecordFlood
  private let listener: LoopbackListener
  /// Opened when the peer has sent the first records of its flood to a client.
  package let isFlooding = Gate()
  /// Opened when a client has closed a connection that was flooded.
  package let isClosed = Gate()

  package var port: UInt16 { listener.port }
  package var url: String { "https://localhost:\(listener.port)/" }

  package init(_ flood: RecordFlood) throws {
    self.flood = flood
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  /// Frees the port; each connection lasts until its client closes it.
  package func stop() { listener.stop() }

  private func serve(_ descriptor: Int32) {
    defer { isClosed.open() }
    guard let server = RecordServer(descriptor, flood.version) else { return }
    switch flood.moment {
    case .firstFlight:
      guard server.receive() else { return }
      var writer = ClearRecordWriter()
      send(&writer, on: descriptor)
    case .afterServerHello:
      guard server.sendServerHello(), var writer = server.makeWriter(.handshake) else { return }
      send(&writer, on: descriptor)
    case .afterHandshake:
      guard server.accept(), server.readHead(), var writer = server.makeWriter(.content) else { return }
      var head: [UInt8] = []
      writer.append(23, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), to: &head)
      guard ClearConnection(descriptor).write(head) else { return }
      send(&writer, on: descriptor)
    }
  }

  /// Sends the pattern of the flood until the client closes the connection.
  private func send(_ writer: inout some RecordWriter, on descriptor: Int32) {
    var batch: [UInt8] = []
    while true {
      batch.removeAll(keepingCapacity: true)
      while batch.count < 64 << 10 { writer.append(flood, to: &batch) }
      guard ClearConnection(descriptor).write(batch) else { return }
      isFlooding.open()
    }
  }
}

/// A pattern of records that a `RecordPeer` repeats.
package struct RecordFlood: Sendable, CustomStringConvertible {
  package enum Moment: Sendable {
    /// After the ClientHello, in clear text.
    case firstFlight
    /// Between the ServerHello and the certificates, encrypted (TLS 1.3).
    case afterServerHello
    /// After the head of a response, encrypted.
    case afterHandshake
  }

  package struct Record: Sendable {
    /// The type of the record (RFC 8446 section 5.1).
    let type: UInt8
    let content: [UInt8]
    /// Whether the keys change after the record (RFC 8446 section 4.6.3).
    let changesKey: Bool

    init(_ type: UInt8, _ content: [UInt8], changesKey: Bool = false) {
      self.type = type
      self.content = content
      self.changesKey = changesKey
    }

    static let byte = Record(23, [0x61])
    static let empty = Record(23, [])
    /// user_canceled, the only warning that TLS 1.3 has besides close_notify.
    static let alert = Record(21, [1, 90])
    static let changeCipherSpec = Record(20, [1])
    /// Asks the client for a KeyUpdate of its own.
    static let keyUpdate = Record(22, [24, 0, 0, 1, 1], changesKey: true)
    static let ticket = Record(22, [4, 0, 0, 14, 0, 0, 28, 32, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0])
    /// A record full of HelloRequest, which is a message of four bytes (RFC 5246 section 7.4.1.1).
    static let helloRequests = Record(22, [UInt8](repeating: 0, count: 16 << 10))
    /// A quarter of a HelloRequest.
    static let fragment = Record(22, [0])
  }

  package let description: String
  package let version: TLSVersion
  package let moment: Moment
  /// The records that are sent once.
  let opening: [Record]
  /// The records that are repeated.
  let pattern: [Record]

  init(_ name: String, _ version: TLSVersion, _ moment: Moment, opening: [Record] = [], _ pattern: [Record]) {
    self.version = version
    description = "\(name), TLS \(version == .tls1_2 ? "1.2" : "1.3")"
    self.moment = moment
    self.opening = opening
    self.pattern = pattern
  }

  private static func repeated(_ record: Record, _ count: Int, then last: Record...) -> [Record] {
    [Record](repeating: record, count: count) + last
  }

  /// The floods of both versions after the handshake.
  ///
  /// OpenSSL ends a connection after 32 empty records or 5 warnings in a row, so some patterns stay below that.
  private static func content(_ version: TLSVersion) -> [RecordFlood] {
    [
      RecordFlood("content of one byte", version, .afterHandshake, [.byte]),
      RecordFlood("empty content", version, .afterHandshake, [.empty]),
      RecordFlood("empty content and bytes", version, .afterHandshake, repeated(.empty, 30, then: .byte)),
      RecordFlood("warnings", version, .afterHandshake, [.alert]),
      RecordFlood("warnings and bytes", version, .afterHandshake, repeated(.alert, 3, then: .byte)),
      RecordFlood("change of cipher", version, .afterHandshake, [.changeCipherSpec]),
    ]
  }

  /// The floods in the place of the server's first flight.
  private static func firstFlight(_ version: TLSVersion) -> [RecordFlood] {
    [
      RecordFlood("warnings before the handshake", version, .firstFlight, [.alert]),
      RecordFlood("empty fragments of the handshake", version, .firstFlight, [Record(22, [])]),
      RecordFlood("change of cipher before the handshake", version, .firstFlight, [.changeCipherSpec]),
      RecordFlood("HelloRequest in the handshake", version, .firstFlight, [.helloRequests]),
      RecordFlood("fragments of HelloRequest in the handshake", version, .firstFlight, [.fragment]),
      RecordFlood(
        "fragments of ServerHello", version, .firstFlight, opening: [Record(22, [2, 0, 0xFF, 0xFF])],
        [Record(22, [0x61])]),
    ]
  }

  package static let all: [RecordFlood] =
    content(.tls1_2) + content(.tls1_3) + firstFlight(.tls1_2) + firstFlight(.tls1_3) + [
      RecordFlood("HelloRequest", .tls1_2, .afterHandshake, [.helloRequests]),
      RecordFlood("HelloRequest and bytes", .tls1_2, .afterHandshake, [.helloRequests, .byte]),
      RecordFlood("fragments of HelloRequest", .tls1_2, .afterHandshake, [.fragment]),
      RecordFlood("KeyUpdate", .tls1_3, .afterHandshake, [.keyUpdate]),
      RecordFlood("KeyUpdate and bytes", .tls1_3, .afterHandshake, [.keyUpdate, .byte]),
      RecordFlood("many KeyUpdate and bytes", .tls1_3, .afterHandshake, repeated(.keyUpdate, 1_000, then: .byte)),
      RecordFlood("tickets", .tls1_3, .afterHandshake, [.ticket]),
      RecordFlood("tickets and bytes", .tls1_3, .afterHandshake, [.ticket, .byte]),
      RecordFlood(
        "fragments of a ticket", .tls1_3, .afterHandshake, opening: [Record(22, [4, 0, 0xFF, 0xFF])],
        [Record(22, [0x61])]),
      RecordFlood(
        "encrypted fragments of the handshake", .tls1_3, .afterServerHello, opening: [Record(22, [8, 0, 0xFF, 0xFF])],
        [Record(22, [0])]),
      RecordFlood(
        "change of cipher in the handshake", .tls1_3, .afterServerHello, repeated(.changeCipherSpec, 30)),
    ]

  /// Whether the flood contains content, so that only the client ends it.
  package var hasContent: Bool { pattern.contains { $0.type == 23 && !$0.content.isEmpty } }
}
