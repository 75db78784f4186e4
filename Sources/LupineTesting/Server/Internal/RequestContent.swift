import LupineCore
import LupineSupport

/// Reads the body of one request into the request, as its script demands.
final class RequestContent {
  private(set) var request: ReceivedHTTPRequest
  private let socket: ConnectionSocket
  private let reader: SocketReader
  private let configuration: ServerConfiguration
  private let isChunked: Bool
  /// The number of unread bytes in the body or in the current chunk.
  private var remaining: Int
  private var owesContinue: Bool

  init(_ head: RequestHead, at position: (connection: Int, index: Int), from loop: ConnectionLoop) throws(ConnectionEnd)
  {
    let framing = try RequestFraming(head.fields)
    isChunked = framing == .chunked
    remaining = if case .length(let length) = framing { length } else { 0 }
    socket = loop.socket
    reader = loop.reader
    configuration = loop.server.configuration
    request = ReceivedHTTPRequest(
      method: head.method, target: head.target, version: head.version, fields: head.fields, rawHead: head.bytes,
      connection: position.connection, index: position.index)
    request.isBodyComplete = framing == .length(0)
    owesContinue = configuration.answersContinue && request.expectsContinue && !request.isBodyComplete
  }

  func setNumber(_ number: Int) {
    request.number = number
  }

  /// Reads the body to its end, or at most `limit` more bytes.
  func read(upTo limit: Int = .max) throws(ConnectionEnd) {
    var left = limit
    if owesContinue, left > 0 {
      owesContinue = false
      try socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    while left > 0, !request.isBodyComplete {
      if isChunked, remaining == 0, try !beginChunk() { return }
      left -= try readPiece(upTo: min(left, remaining, 65_536))
    }
  }

  private func readPiece(upTo limit: Int) throws(ConnectionEnd) -> Int {
    let piece = try reader.read(upTo: limit)
    let room = max(0, configuration.keptBodyLength - request.body.count)
    request.body += piece.prefix(room)
    request.bodyLength += piece.count
    remaining -= piece.count
    guard remaining == 0 else { return piece.count }
    if !isChunked {
      request.isBodyComplete = true
    } else if try reader.readLine(limit: 2) != [13, 10] {
      throw .malformed("A chunk that is longer than its size.")
    }
    return piece.count
  }

  /// Reads a chunk's size; returns `false` after the last chunk and its trailers.
  private func beginChunk() throws(ConnectionEnd) -> Bool {
    let line = try reader.readLine(limit: SocketReader.headLimit)
    let digits = line.prefix { $0 != 59 && $0 != 13 && $0 != 10 }
    let isNumber = !digits.isEmpty && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard isNumber, line.suffix(2) == [13, 10], let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else {
      throw .malformed("A chunk size that is no number: \(String(decoding: line, as: UTF8.self).trimmingBlanks())")
    }
    remaining = size
    guard size == 0 else { return true }
    request.trailers = try readTrailers()
    request.isBodyComplete = true
    return false
  }

  private func readTrailers() throws(ConnectionEnd) -> RawFields {
    var section: [UInt8] = []
    while true {
      let line = try reader.readLine(limit: SocketReader.headLimit - section.count)
      section += line
      if line == [13, 10] { return try parseFields(splitLines(section)) }
    }
  }
}
