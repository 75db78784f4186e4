import CLibcurl
import HTTPTypes
import LupineCore

/// Owns a list of lines for libcurl, such as a request's fields.
struct FieldList: ~Copyable {
  private(set) var pointer: UnsafeMutablePointer<curl_slist>?
  private var line: [CChar] = []

  init() {}

  deinit { curl_slist_free_all(pointer) }

  mutating func append(_ field: HTTPField) throws(LupineError) {
    line.removeAll(keepingCapacity: true)
    for byte in field.name.rawName.utf8 { line.append(CChar(bitPattern: byte)) }
    field.withUnsafeBytesOfValue { value in
      // libcurl's syntax for a field with an empty value is a semicolon after the name.
      line.append(value.isEmpty ? 0x3B : 0x3A)
      if !value.isEmpty { line.append(0x20) }
      for byte in value { line.append(CChar(bitPattern: byte)) }
    }
    line.append(0)
    try appendLine()
  }

  /// Prevents libcurl from adding its own field with this name.
  mutating func suppress(_ name: StaticString) throws(LupineError) { try append(raw: "\(name):") }

  mutating func append(raw text: String) throws(LupineError) {
    line.removeAll(keepingCapacity: true)
    for byte in text.utf8 { line.append(CChar(bitPattern: byte)) }
    line.append(0)
    try appendLine()
  }

  private mutating func appendLine() throws(LupineError) {
    guard let longer = curl_slist_append(pointer, line) else {
      throw LupineError(.other, "libcurl has no memory for a request's fields.")
    }
    pointer = longer
  }
}
