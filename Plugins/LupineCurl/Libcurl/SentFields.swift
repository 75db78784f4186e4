import CLibcurl
import HTTPTypes
import LupineCore

/// The fields of a request in libcurl's form, which suppress the fields that libcurl would add.
struct SentFields {
  private let fields: HTTPFields
  private let fieldScanID: UInt64?
  private let hasBody: Bool
  private let expectsContinue: Bool
  /// Whether the connection ends after the exchange, by the request's own `Connection: close` (RFC 9112 section 9.6).
  let endConnection: Bool
  /// The value of `Host`; nil if the request has its own `Host` field.
  private let authority: String?

  init(_ request: OutgoingRequest, _ shape: RequestShape) {
    fields = request.headers
    fieldScanID = request.fieldScanID
    authority = fields.contains { $0.name.canonicalName == "host" } ? nil : request.url.authority
    endConnection = fields.contains { field in
      field.name == .connection
        && field.value.lowercased().split(whereSeparator: { ", \t".contains($0) }).contains("close")
    }
    hasBody = shape.hasContent
    expectsContinue = hasBody && request.expectsContinue
  }

  /// Whether another request has the same fields, byte by byte and in the same order.
  ///
  /// Requests with the same `fieldScanID` have identical fields. Otherwise all fields are compared.
  func matches(_ request: OutgoingRequest, _ shape: RequestShape) -> Bool {
    guard hasBody == shape.hasContent, expectsContinue == (hasBody && request.expectsContinue) else { return false }
    if let fieldScanID, fieldScanID == request.fieldScanID { return true }
    return fields.elementsEqual(request.headers) { $0.name.rawName == $1.name.rawName && $0 == $1 }
  }

  /// Whether the `Host` field is valid for this URL.
  func isValid(for url: HTTPURL) -> Bool { authority == nil || authority == url.authority }

  /// Returns the fields in their order, and suppresses the fields that libcurl would add.
  ///
  /// Unless the request has its own `Host`, the list contains `Host` twice. The first line is empty and suppresses
  /// libcurl's own field; libcurl sends the second line like any other field. libcurl's own field would have the same
  /// text, but libcurl would build it again for each request.
  func list() throws(LupineError) -> StringList {
    var list = StringList()
    if let authority {
      try list.suppress("Host")
      try list.append(raw: "Host: \(authority)")
    }
    for field in fields { try list.append(field) }
    if !fields.contains(.accept) { try list.suppress("Accept") }
    if hasBody, !fields.contains(.expect) {
      if expectsContinue { try list.append(raw: "Expect: 100-continue") } else { try list.suppress("Expect") }
    }
    return list
  }
}

/// How a request's body is sent.
enum RequestShape: Hashable {
  /// No body and no Content-Length.
  case noBody
  /// No body, and no body in the response.
  case head
  /// A body of this length in bytes; -1 sends the body in chunks.
  case body(length: Int64)

  /// Whether there may be bytes to send.
  var hasContent: Bool {
    if case .body(let length) = self { length != 0 } else { false }
  }
}

/// Owns a list of lines for libcurl, such as a request's fields.
struct StringList: ~Copyable {
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
