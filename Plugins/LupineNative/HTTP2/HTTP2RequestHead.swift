import CNghttp2
import HTTPTypes
import LupineCore
import LupineSupport

/// The field section of a request (RFC 9113 section 8.3.1).
///
/// The fields keep their order. Names are sent in lower case. Fields about the connection, which HTTP/2 does not have, are
/// omitted (RFC 9113 section 8.2.2).
struct HTTP2RequestHead {
  private struct Range {
    let name: Swift.Range<Int>
    let value: Swift.Range<Int>
    let flags: UInt8
  }

  private var bytes: [UInt8] = []
  private var ranges: [Range] = []

  /// - Parameters:
  ///   - length: the number of bytes of the content; `nil` without a field `content-length`.
  ///   - addsExpectation: whether to add the field that asks for 100 (Continue).
  init(_ request: OutgoingRequest, length: Int64?, addsExpectation: Bool) {
    let fields = request.headers
    bytes.reserveCapacity(512)
    ranges.reserveCapacity(fields.count + 6)
    append(":method", request.method.rawValue)
    append(":scheme", request.url.scheme.rawValue)
    append(":authority", fields.first { $0.name.canonicalName == "host" }?.value ?? request.url.authority)
    append(":path", request.url.requestTarget)
    for field in fields where !Self.isOmitted(field) { append(field) }
    if let length { append("content-length", "\(length)") }
    if addsExpectation { append("expect", "100-continue") }
    if let urgency = Self.urgency(request.priority), !fields.contains(where: { $0.name.canonicalName == "priority" }) {
      append("priority", urgency)
    }
  }

  /// The urgency of RFC 9218 section 4.1; `nil` for its default.
  private static func urgency(_ priority: OutgoingRequest.Priority) -> String? {
    switch priority {
    case .low: "u=5"
    case .normal: nil
    case .high: "u=1"
    }
  }

  private static func isOmitted(_ field: HTTPField) -> Bool {
    switch field.name.canonicalName {
    case "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings": true
    case "te": field.value.lowercased() != "trailers"
    default: false
    }
  }

  /// Secrets stay out of the compression's table (RFC 7541 section 7.1.3).
  private static func isSecret(_ field: HTTPField) -> Bool { SecretFields.standard.contains(field.name) }

  private mutating func append(_ field: HTTPField) {
    let start = bytes.count
    bytes += field.name.canonicalName.utf8
    let middle = bytes.count
    field.withUnsafeBytesOfValue { bytes += $0 }
    let flags = Self.isSecret(field) ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
    ranges.append(Range(name: start..<middle, value: middle..<bytes.count, flags: flags))
  }

  private mutating func append(_ name: String, _ value: String) {
    let start = bytes.count
    bytes += name.utf8
    let middle = bytes.count
    bytes += value.utf8
    ranges.append(Range(name: start..<middle, value: middle..<bytes.count, flags: 0))
  }

  /// Calls the closure with the fields as nghttp2 takes them.
  func withFields<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      let base = UnsafeMutablePointer(mutating: bytes.baseAddress)
      let fields = ranges.map { range in
        nghttp2_nv(
          name: base?.advanced(by: range.name.lowerBound), value: base?.advanced(by: range.value.lowerBound),
          namelen: range.name.count, valuelen: range.value.count, flags: range.flags)
      }
      return fields.withUnsafeBufferPointer(body)
    }
  }
}
