import COpenSSL
import Glibc
import LupineFixtures
import PeerSupport

/// A server with TLS 1.3 on loopback that sends session tickets, which are no part of a response.
package final class TicketPeer: Sendable {
  /// When it sends tickets.
  package enum Habit: Sendable {
    /// This many after each response.
    case afterResponse(Int)
    /// Without end, before the response.
    case forever
  }

  private let habit: Habit
  private let listener: LoopbackListener

  package var url: String { "https://localhost:\(listener.port)/" }

  package init(_ habit: Habit) throws {
    self.habit = habit
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  package func stop() { listener.stop() }

  private func serve(_ descriptor: Int32) {
    guard let connection = TLSConnection(descriptor, isMultiplexed: false) else { return }
    while isAsked(connection) {
      switch habit {
      case .afterResponse(let count):
        guard connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)) else { return }
        for _ in 0..<count where !connection.sendTicket() { return }
      case .forever: while connection.sendTicket() {}
      }
    }
  }

  private func isAsked(_ connection: TLSConnection) -> Bool {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard let byte = connection.read(1) else { return false }
      head += byte
    }
    return true
  }
}
