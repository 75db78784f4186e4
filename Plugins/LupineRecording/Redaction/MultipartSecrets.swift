import HTTPTypes
import LupineCore
import LupineSupport

/// A part of a multipart body (RFC 2046 section 5.1), of which only the places are known.
struct MultipartPart {
  let fields: MappedBytes
  let content: MappedBytes

  /// The parts of a body; those that follow a defect are missing.
  static func parts(of body: MappedBytes, boundary: String) -> [MultipartPart] {
    let delimiter = Array("--\(boundary)".utf8)
    var parts: [MultipartPart] = []
    var start: Int?
    for line in Delimiters(body, delimiter) {
      if let start, start <= line.lowerBound { parts.append(part(body.part(start..<line.lowerBound))) }
      start = line.upperBound
    }
    // A part that is not complete may have a secret as well.
    if let start, start < body.end { parts.append(part(body.part(start..<body.end))) }
    return parts
  }

  private static func part(_ bytes: MappedBytes) -> MultipartPart {
    var position = bytes.start
    while position < bytes.end {
      guard bytes[position] == 0x0A || bytes[position] == 0x0D else {
        position += 1
        continue
      }
      for empty in ["\r\n\r\n", "\n\n"] where bytes.bytes[position...].starts(with: empty.utf8) {
        return MultipartPart(
          fields: bytes.part(bytes.start..<position), content: bytes.part((position + empty.utf8.count)..<bytes.end))
      }
      position += 1
    }
    return MultipartPart(fields: bytes, content: bytes.part(bytes.end..<bytes.end))
  }

  /// The value of a field, without regard to the case of its name.
  func field(_ name: String) -> String? {
    for line in fields.text.split(whereSeparator: \.isNewline) {
      let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, pair[0].lowercased() == name { return String(pair[1].trimmingBlanks()) }
    }
    return nil
  }

  /// The `name` of the part's `Content-Disposition`.
  var name: String? {
    guard let disposition = field("content-disposition") else { return nil }
    var cursor = FieldCursor(disposition)
    while !cursor.isAtEnd {
      let word = cursor.token()
      if word?.lowercased() == "name", cursor.take(UInt8(ascii: "=")) {
        return cursor.quotedString(mayEndWithField: true) ?? cursor.unquotedValue()
      }
      if word == nil, cursor.quotedString(mayEndWithField: true) == nil { cursor.advance() }
    }
    return nil
  }
}

/// The ranges of the delimiter lines of a multipart body, each with the line end before it.
private struct Delimiters: Sequence, IteratorProtocol {
  private let body: MappedBytes
  private let delimiter: [UInt8]
  private var position: Int

  init(_ body: MappedBytes, _ delimiter: [UInt8]) {
    self.body = body
    self.delimiter = delimiter
    position = body.start
  }

  mutating func next() -> Range<Int>? {
    while position + delimiter.count <= body.end {
      guard body[position] == delimiter[0], position == body.start || body[position - 1] == 0x0A,
        body.bytes[position...].starts(with: delimiter)
      else {
        position += 1
        continue
      }
      var start = position
      if start > body.start { start -= 1 }
      if start > body.start, body[start] == 0x0A, body[start - 1] == 0x0D { start -= 1 }
      position += delimiter.count
      while position < body.end, body[position] != 0x0A { position += 1 }
      position = Swift.min(position + 1, body.end)
      return start..<position
    }
    return nil
  }
}

extension SecretRules {
  /// The secrets in the parts of a multipart body.
  func secrets(inMultipart body: MappedBytes, boundary: String, nesting: Int) -> [FoundSecret] {
    MultipartPart.parts(of: body, boundary: boundary).flatMap { part -> [FoundSecret] in
      if let name = part.name, isSecret(member: name) {
        return secrets(ofSecretField: HTTPField.Name(name), part.content)
      }
      return secrets(inBody: part.content, contentType: part.field("content-type"), nesting: nesting + 1)
    }
  }
}
