/// Reads lines and bytes from a connection; what has arrived too early stays for the next request.
final class SocketReader {
  private let socket: ConnectionSocket
  private var buffer: [UInt8] = []
  private var start = 0

  /// A head, or a trailer section, may have this many bytes.
  static let headLimit = 16 << 20

  init(socket: ConnectionSocket) {
    self.socket = socket
  }

  var hasBufferedBytes: Bool { start < buffer.count }

  /// A request's head with its empty line, `nil` when the client closed before it began; empty lines before it are skipped.
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

  /// A line with its CRLF, or its LF alone; throws when the connection ends in it.
  func readLine(limit: Int) throws(ConnectionEnd) -> [UInt8] {
    guard let line = try readLine(limit: limit, isStart: false) else { throw .incomplete }
    return line
  }

  /// At least one byte, at most so many.
  func read(upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
    if !hasBufferedBytes, try !fill() { throw .incomplete }
    let end = min(buffer.count, start + limit)
    defer { start = end }
    return Array(buffer[start..<end])
  }

  /// Exactly so many bytes.
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

  /// Waits for more bytes; returns whether some came.
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
