import HTTPTypes
import LupineCoding
import LupineCore
import LupineSupport

extension ResponseValidator {
  /// Requires the media type of Server-Sent Events, one in these ranges, or no `Content-Type`.
  ///
  /// Of several media types the last valid one counts (WHATWG Fetch, section 2.2.2).
  static func events(accepting ranges: [String]) -> ResponseValidator {
    let names = ["text/event-stream"] + ranges
    let acceptable = names.compactMap { MediaType($0) }
    return .custom { _, head, _ in
      guard head.status.code != 204, let field = head.headerFields[.contentType], !field.isEmpty else { return }
      let mediaType = MediaType.list(field).last
      if let mediaType, acceptable.contains(where: mediaType.matches) { return }
      let shown = (mediaType?.essence ?? field).escapingControls(limit: 200)
      let list = names.prefix(20).joined(separator: ", ").escapingControls(limit: 500)
      throw LupineError(
        .unacceptableContentType(shown),
        "The Content-Type \(shown) \(mediaType == nil ? "is malformed" : "is not acceptable"); acceptable would be \(list). "
          + "For a service that sends events with it, use '.acceptingContentTypes([…])' of the request.")
    }
  }
}
