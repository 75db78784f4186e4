import HTTPTypes
import LupineCore
import LupineSupport

/// The lines of a request's fields and of `Host`; most requests to an origin have the same.
struct RequestLines {
  private let fields: HTTPFields
  private(set) var bytes: [UInt8] = []

  /// - Parameter field: a further field, after those of the request.
  init(_ request: OutgoingRequest, adding field: HTTPField? = nil) {
    fields = request.headers
    bytes.reserveCapacity(512)
    if !fields.contains(where: { $0.name.canonicalName == "host" }) {
      bytes += "Host: \(request.url.authority)\r\n".utf8
    }
    for field in fields { append(field) }
    if let field { append(field) }
  }

  private mutating func append(_ field: HTTPField) {
    bytes += field.name.rawName.utf8
    bytes += ": ".utf8
    field.withUnsafeBytesOfValue { bytes += $0 }
    bytes += "\r\n".utf8
  }

  /// Whether the lines are those of these fields.
  func have(_ other: HTTPFields) -> Bool { fields.isIdentical(to: other) }
}

extension HTTPFields {
  /// Whether both have the same names and values, in the same order and case.
  ///
  /// `==` would ignore the case of names and the order of fields.
  func isIdentical(to other: HTTPFields) -> Bool {
    count == other.count
      && indices.allSatisfy { index in
        self[index].name.rawName == other[index].name.rawName
          && self[index].withUnsafeBytesOfValue { value in
            other[index].withUnsafeBytesOfValue {
              UnsafeRawBufferPointer(value).isEqual(to: UnsafeRawBufferPointer($0))
            }
          }
      }
  }
}
