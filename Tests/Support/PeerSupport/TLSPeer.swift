package import LupineTesting
import Synchronization

/// A server of HTTP/1.1 over TLS on `localhost`, whose script decides the TLS records of each response.
package final class TLSPeer: Sendable {
  /// A response as bytes; each element of `records` is sent in one TLS record.
  package struct Reply: Sendable {
    package var records: [[UInt8]]
    /// Opened when the kernel has accepted all records, or when a write has failed.
    package var sent: Gate?

    package init(records: [[UInt8]], sent: Gate? = nil) {
      self.records = records
      self.sent = sent
    }
  }

  private let listener: LoopbackListener
  private let script: @Sendable (_ path: String, _ index: Int) -> Reply
  private let accepted = Atomic(0)

  package var url: String { "https://localhost:\(listener.port)" }
  package var port: UInt16 { listener.port }
  package var connectionCount: Int { accepted.load(ordering: .relaxed) }

  /// - Parameter script: returns the response to a request from its path and its index on the connection.
  package init(script: @escaping @Sendable (_ path: String, _ index: Int) -> Reply) throws {
    self.script = script
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  /// Frees the port; each connection lasts until its client closes it.
  package func stop() { listener.stop() }

  private func serve(_ descriptor: Int32) {
    accepted.add(1, ordering: .relaxed)
    guard let connection = TLSConnection(descriptor, isMultiplexed: false) else { return }
    var index = 0
    while let head = Self.head(from: connection) {
      let reply = script(String(head.split(separator: " ").dropFirst().first ?? ""), index)
      defer { reply.sent?.open() }
      for record in reply.records where !record.isEmpty {
        guard connection.write(record) else { return }
      }
      index += 1
    }
  }

  private static func head(from connection: TLSConnection) -> String? {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let byte = connection.read(1) else { return nil }
      bytes += byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
