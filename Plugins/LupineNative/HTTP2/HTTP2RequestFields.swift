import CNghttp2
import HTTPTypes
import LupineCore

/// Names and values as nghttp2 takes them.
struct HTTP2FieldBlock {
  private struct Field {
    let name: Range<Int>
    let value: Range<Int>
    let flags: UInt8
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []

  init() { bytes.reserveCapacity(128) }

  var count: Int { fields.count }

  /// Appends a field; its name is in lower case.
  mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: append(name), value: append(value), flags: 0))
  }

  /// Appends a field; its name is sent in lower case.
  mutating func append(_ field: HTTPField) {
    let name = append(field.name.canonicalName)
    field.withUnsafeBytesOfValue { bytes += $0 }
    // Secrets stay out of the compression's table (RFC 7541 section 7.1.3).
    let flags = SecretFields.standard.contains(field.name) ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
    fields.append(Field(name: name, value: name.upperBound..<bytes.count, flags: flags))
  }

  /// Appends a text, and returns its place.
  private mutating func append(_ text: String) -> Range<Int> {
    let start = bytes.count
    var text = text
    text.withUTF8 { bytes += $0 }
    return start..<bytes.count
  }

  /// Calls the closure with a function that returns a field; what it returns is valid during the call.
  func withFields<Result>(_ body: ((Int) -> nghttp2_nv) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      let base = UnsafeMutablePointer(mutating: bytes.baseAddress)
      return body { index in
        let field = fields[index]
        return nghttp2_nv(
          name: base?.advanced(by: field.name.lowerBound), value: base?.advanced(by: field.value.lowerBound),
          namelen: field.name.count, valuelen: field.value.count, flags: field.flags)
      }
    }
  }
}

/// The origin and the fields of a request; most requests to an origin have the same.
///
/// The fields keep their order. Fields about the connection, which HTTP/2 does not have, are omitted (RFC 9113 section
/// 8.2.2).
struct HTTP2RequestFields {
  private let fields: HTTPFields
  private(set) var block = HTTP2FieldBlock()
  /// Whether the fields state the priority (RFC 9218 section 4).
  let havePriority: Bool

  init(_ request: OutgoingRequest) {
    fields = request.headers
    havePriority = fields.contains { $0.name.canonicalName == "priority" }
    block.append(":scheme", request.url.scheme.rawValue)
    block.append(
      ":authority", fields.first { $0.name.canonicalName == "host" }?.value ?? request.url.authority)
    for field in fields where !Self.isOmitted(field) { block.append(field) }
  }

  /// Whether they are made of these fields.
  func have(_ other: HTTPFields) -> Bool { fields.isIdentical(to: other) }

  private static func isOmitted(_ field: HTTPField) -> Bool {
    switch field.name.canonicalName {
    case "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings": true
    case "te": field.value.lowercased() != "trailers"
    default: false
    }
  }
}
