import HTTPTypes
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
  private var mustSendContinue: Bool

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
    mustSendContinue = configuration.answersContinue && request.expectsContinue && !request.isBodyComplete
  }

  func setNumber(_ number: Int) {
    request.number = number
  }

  /// Reads the body to its end, or at most `limit` more bytes.
  func read(upTo limit: Int = .max) throws(ConnectionEnd) {
    var left = limit
    if mustSendContinue, left > 0 {
      mustSendContinue = false
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

/// The framing of a request's body (RFC 9112 section 6.3).
enum RequestFraming: Equatable {
  case length(Int)
  case chunked

  init(_ fields: RawFields) throws(ConnectionEnd) {
    let lengths = Set(fields.values(of: "Content-Length"))
    let codings = fields.values(of: "Transfer-Encoding")
    if !codings.isEmpty {
      guard lengths.isEmpty else { throw .malformed("Content-Length beside Transfer-Encoding.") }
      guard codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw .malformed("A transfer coding other than chunked: \(codings.joined(separator: ", "))")
      }
      self = .chunked
      return
    }
    guard let text = lengths.first else {
      self = .length(0)
      return
    }
    guard lengths.count == 1, text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text) else {
      throw .malformed("A Content-Length that is not one number: \(lengths.sorted().joined(separator: ", "))")
    }
    self = .length(length)
  }
}

/// The head of a request; the parser rejects what RFC 9112 forbids clients to send.
struct RequestHead {
  let method: HTTPRequest.Method
  let target: String
  let version: String
  let fields: RawFields
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws(ConnectionEnd) {
    var lines = try splitLines(bytes)
    let requestLine = text(of: lines.removeFirst())
    let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !parts[1].isEmpty, let method = HTTPRequest.Method(parts[0]) else {
      throw .malformed("A request line that is not three words: \(requestLine)")
    }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else {
      throw .malformed("A version that is neither HTTP/1.1 nor HTTP/1.0: \(parts[2])")
    }
    self.method = method
    target = parts[1]
    version = parts[2]
    fields = try parseFields(lines)
    self.bytes = bytes
  }
}

/// Parses field lines without their line endings.
func parseFields(_ lines: [ArraySlice<UInt8>]) throws(ConnectionEnd) -> RawFields {
  var fields = RawFields()
  for line in lines {
    guard let colon = line.firstIndex(of: 58) else { throw .malformed("A field without a colon: \(text(of: line))") }
    let name = text(of: line[..<colon])
    guard HTTPField.isValidName(name) else { throw .malformed("A field name that is no token: \(name)") }
    fields.append(name, String(text(of: line[(colon + 1)...]).trimmingBlanks()))
  }
  return fields
}

/// Splits a head or a trailer section into lines, without line endings and without the empty last line.
func splitLines(_ bytes: [UInt8]) throws(ConnectionEnd) -> [ArraySlice<UInt8>] {
  var lines: [ArraySlice<UInt8>] = []
  for line in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
    guard line.last == 13 else { throw .malformed("A line that ends in a line feed alone: \(text(of: line))") }
    let content = line.dropLast()
    guard !content.contains(where: { ($0 < 32 && $0 != 9) || $0 == 127 }) else {
      throw .malformed("A control byte in a line: \(text(of: content))")
    }
    lines.append(content)
  }
  return lines.dropLast()
}

/// Decodes the bytes as UTF-8 or else as ISO Latin 1, so that no byte is lost.
private func text(of bytes: ArraySlice<UInt8>) -> String {
  if let text = String(validating: bytes, as: UTF8.self) { return text }
  return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

extension HTTPField {
  fileprivate static func isValidName(_ name: String) -> Bool {
    HTTPField.Name(name) != nil
  }
}
