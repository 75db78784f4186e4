import HTTPTypes
import LupineCore

/// The fields of a request and what decides about those that libcurl would add.
struct RequestFields: Equatable {
  private let fields: HTTPFields
  private let look: UInt64?
  private let hasBody: Bool
  private let expectsContinue: Bool

  init(_ submission: Submission, _ shape: RequestShape) {
    fields = submission.request.headers
    look = submission.request.look
    if case .body(let length) = shape { hasBody = length != 0 } else { hasBody = false }
    expectsContinue = submission.options.expectsContinue
  }

  /// Compares order and spelling as well, which `HTTPFields` does not.
  static func == (left: RequestFields, right: RequestFields) -> Bool {
    left.hasBody == right.hasBody && left.expectsContinue == right.expectsContinue
      && (left.hasSameLook(as: right) || left.hasSameLines(as: right))
  }

  /// Whether both come from one look at fields, as those do that a session adds to each of its requests.
  private func hasSameLook(as other: RequestFields) -> Bool { look.map { $0 == other.look } ?? false }

  private func hasSameLines(as other: RequestFields) -> Bool {
    fields.elementsEqual(other.fields) { $0.name.rawName == $1.name.rawName && $0 == $1 }
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
