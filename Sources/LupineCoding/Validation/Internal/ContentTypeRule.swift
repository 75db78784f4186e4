import HTTPTypes
import LupineCore
import LupineSupport

/// Refuses a media type that lies in none of the ranges named.
final class ContentTypeRule: ValidationRule {
  private let ranges: @Sendable (OutgoingRequest) -> [String]

  init(ranges: @escaping @Sendable (OutgoingRequest) -> [String]) { self.ranges = ranges }

  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError) {
    guard hasBody else { return }
    let names = ranges(response.request)
    if names == OutgoingRequest.anyContentType { return }
    let code = response.statusCode
    guard code != 204, code != 205, code != 304 else { return }
    let acceptable = names.compactMap { MediaType($0) }
    if acceptable.contains(where: { $0.essence == "*/*" }) { return }
    let field = response.head.headerFields[.contentType]
    let mediaType = field.flatMap { MediaType($0) }
    if let mediaType, acceptable.contains(where: mediaType.matches) { return }
    throw Self.error(found: field, mediaType, acceptable: names)
  }

  private static func error(found field: String?, _ mediaType: MediaType?, acceptable: [String]) -> LupineError {
    let list = acceptable.isEmpty ? "none" : acceptable.prefix(20).joined(separator: ", ").escapingControls(limit: 500)
    guard let field else {
      return LupineError(
        .unacceptableContentType(nil), "The response has no Content-Type; acceptable would be \(list).")
    }
    let shown = (mediaType?.essence ?? field).escapingControls(limit: 200)
    let fault = mediaType == nil ? "is malformed" : "is not acceptable"
    return LupineError(
      .unacceptableContentType(shown), "The Content-Type \(shown) \(fault); acceptable would be \(list).")
  }
}
