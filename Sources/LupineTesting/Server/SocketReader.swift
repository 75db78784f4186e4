/// Reads lines and bytes from a connection, and buffers the bytes that follow.
final class SocketReader {
  private let socket: ConnectionSocket
  private var buffer: [UInt8] = []
  private var start = 0

  /// The maximum size of a head or a trailer section in bytes.
  static let headLimit = 16 << 20

  init(socket: ConnectionSocket) {
    self.socket = socket
  }

  var hasBufferedBytes: Bool { start < buffer.count }

  /// Reads a request's head with its empty line; skips empty lines before it.
  ///
  /// - Returns: `nil` if the client closed the connection before a head.
  func readHead() throws(ConnectionEnd) -> [UInt8]? {
    var head: [UInt8] = []
    while let line = try readLine(limit: Self.headLimit - head.count, isStart: head.isEmpty) {
      let isEmpty = line == [13, 10] || line == [10]
      if isEmpty, head.isEmpty { continue }
      head += line
      if isEmpty { return head }
    }
    return nil
  }

  /// Reads a line with its CRLF, or its LF; throws if the connection ends within it.
  func readLine(limit: Int) throws(ConnectionEnd) -> [UInt8] {
    guard let line = try readLine(limit: limit, isStart: false) else { throw .incomplete }
    return line
  }

  /// Reads at least one byte and at most `limit` bytes.
  func read(upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
    if !hasBufferedBytes, try !fill() { throw .incomplete }
    let end = min(buffer.count, start + limit)
    defer { start = end }
    return Array(buffer[start..<end])
  }

  /// Reads exactly `count` bytes.
  func read(exactly count: Int) throws(ConnectionEnd) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += try read(upTo: count - bytes.count) }
    return bytes
  }

  private func readLine(limit: Int, isStart: Bool) throws(ConnectionEnd) -> [UInt8]? {
    var scanned = 0
    while true {
      if let end = buffer[(start + scanned)...].firstIndex(of: 10) {
        defer { start = end + 1 }
        return Array(buffer[start...end])
      }
      scanned = buffer.count - start
      guard scanned <= limit else { throw .malformed("A head of more than \(Self.headLimit) bytes.") }
      guard try fill() else {
        if isStart, scanned == 0 { return nil }
        throw .incomplete
      }
    }
  }

  /// Waits for more bytes; returns false at the end of the connection.
  private func fill() throws(ConnectionEnd) -> Bool {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    let bytes = try socket.receive(upTo: 65_536)
    buffer += bytes
    return !bytes.isEmpty
  }
}
