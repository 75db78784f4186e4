import CNghttp2
import HTTPTypes
import LupineCore

/// The field section of a request (RFC 9113 section 8.3.1).
struct HTTP2RequestHead {
  /// The number of fields of `own` that precede those of `shared`.
  private static let leadingCount = 2

  private var own = HTTP2FieldBlock()
  private let shared: HTTP2RequestFields

  /// - Parameters:
  ///   - length: the number of bytes of the content; `nil` without a field `content-length`.
  ///   - addsExpectation: whether to add the field that asks for 100 (Continue).
  ///   - fields: those of the last request to the same origin, which are replaced if the request has others.
  init(
    _ request: OutgoingRequest, length: Int64?, addsExpectation: Bool, reusing fields: inout HTTP2RequestFields?
  ) {
    shared = Self.fields(of: request, reusing: &fields)
    own.append(":method", request.method.rawValue)
    own.append(":path", request.url.requestTarget)
    if let length { own.append("content-length", "\(length)") }
    if addsExpectation { own.append("expect", "100-continue") }
    if let urgency = Self.urgency(request.priority), !shared.havePriority { own.append("priority", urgency) }
  }

  private static func fields(
    of request: OutgoingRequest, reusing fields: inout HTTP2RequestFields?
  ) -> HTTP2RequestFields {
    if let fields, fields.have(request.headers) { return fields }
    let new = HTTP2RequestFields(request)
    fields = new
    return new
  }

  /// The urgency of RFC 9218 section 4.1; `nil` for its default.
  private static func urgency(_ priority: OutgoingRequest.Priority) -> String? {
    switch priority {
    case .low: "u=5"
    case .normal: nil
    case .high: "u=1"
    }
  }

  /// Calls the closure with the fields as nghttp2 takes them.
  func withFields<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
    own.withFields { own in
      shared.block.withFields { shared in
        let (ownCount, sharedCount) = (self.own.count, self.shared.block.count)
        let fields = [nghttp2_nv](unsafeUninitializedCapacity: ownCount + sharedCount) { space, count in
          for index in 0..<Self.leadingCount { space.initializeElement(at: index, to: own(index)) }
          for index in 0..<sharedCount { space.initializeElement(at: Self.leadingCount + index, to: shared(index)) }
          for index in Self.leadingCount..<ownCount { space.initializeElement(at: sharedCount + index, to: own(index)) }
          count = ownCount + sharedCount
        }
        return fields.withUnsafeBufferPointer(body)
      }
    }
  }
}
