import HTTPTypes
import LupineCore

/// The fields of a request and what decides about those that libcurl would add.
struct RequestFields {
  private let fields: HTTPFields
  private let look: UInt64?
  private let hasBody: Bool
  private let expectsContinue: Bool

  init(_ request: OutgoingRequest, _ shape: RequestShape) {
    fields = request.headers
    look = request.look
    hasBody = shape.hasContent
    expectsContinue = hasBody && request.expectsContinue
  }

  /// Whether they are the fields of another request as well, letter by letter and in their order.
  ///
  /// Both come from one look at fields, as those do that a session adds to each of its requests, or all are compared.
  func belong(to request: OutgoingRequest, _ shape: RequestShape) -> Bool {
    guard hasBody == shape.hasContent, expectsContinue == (hasBody && request.expectsContinue) else { return false }
    if let look, look == request.look { return true }
    return fields.elementsEqual(request.headers) { $0.name.rawName == $1.name.rawName && $0 == $1 }
  }

  /// The fields in their order; those that libcurl would add of itself are suppressed.
  func list() throws(LupineError) -> FieldList {
    var list = FieldList()
    for field in fields { try list.append(field) }
    if !fields.contains(.accept) { try list.suppress("Accept") }
    if hasBody, !fields.contains(.expect) {
      if expectsContinue { try list.append(raw: "Expect: 100-continue") } else { try list.suppress("Expect") }
    }
    return list
  }
}
