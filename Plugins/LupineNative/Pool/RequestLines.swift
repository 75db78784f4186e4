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
  ///
  /// `==` of the fields would ignore the case of names and the order of fields.
  func have(_ other: HTTPFields) -> Bool {
    fields.count == other.count
      && fields.indices.allSatisfy { index in
        fields[index].name.rawName == other[index].name.rawName
          && fields[index].withUnsafeBytesOfValue { value in
            other[index].withUnsafeBytesOfValue {
              UnsafeRawBufferPointer(value).isEqual(to: UnsafeRawBufferPointer($0))
            }
          }
      }
  }
}
