import HTTPTypes
import LupineCore

/// The fields of a request and what decides about those that libcurl would add.
struct RequestFields {
  private let fields: HTTPFields
  private let fieldScanID: UInt64?
  private let hasBody: Bool
  private let expectsContinue: Bool
  /// What `Host` says where the request has no such field of its own.
  private let authority: String?

  init(_ request: OutgoingRequest, _ shape: RequestShape) {
    fields = request.headers
    fieldScanID = request.fieldScanID
    authority = fields.contains { $0.name.canonicalName == "host" } ? nil : request.url.authority
    hasBody = shape.hasContent
    expectsContinue = hasBody && request.expectsContinue
  }

  /// Whether they are the fields of another request as well, letter by letter and in their order.
  ///
  /// Both come from one look at fields, as those do that a session adds to each of its requests, or all are compared.
  func belong(to request: OutgoingRequest, _ shape: RequestShape) -> Bool {
    guard hasBody == shape.hasContent, expectsContinue == (hasBody && request.expectsContinue) else { return false }
    if let fieldScanID, fieldScanID == request.fieldScanID { return true }
    return fields.elementsEqual(request.headers) { $0.name.rawName == $1.name.rawName && $0 == $1 }
  }

  /// Whether they name the host of a URL, or another that the request names.
  func suit(_ url: HTTPURL) -> Bool { authority == nil || authority == url.authority }

  /// The fields in their order; those that libcurl would add of itself are suppressed.
  ///
  /// Where `Host` stands twice, libcurl makes none because of the first, which is empty, and sends the second like any
  /// other field. Its own has the same text, which it would put together anew for each request.
  func list() throws(LupineError) -> FieldList {
    var list = FieldList()
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
