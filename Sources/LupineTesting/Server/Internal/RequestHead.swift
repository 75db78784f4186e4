import HTTPTypes
import LupineCore
import LupineSupport

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
