import HTTPTypes
import LupineCore

/// Refuses a status that is not among those named.
final class StatusCodeRule: ValidationRule {
  private let contains: @Sendable (Int) -> Bool
  /// Made where a response is refused: a range takes long to describe at a program's start.
  private let acceptable: @Sendable () -> String

  init(_ codes: some Sequence<Int> & Sendable) {
    // A range may have no end (`200...`), so it is asked rather than walked through; its type is looked at here, once.
    switch codes {
    case let range as Range<Int>: contains = { range.contains($0) }
    case let range as ClosedRange<Int>: contains = { range.contains($0) }
    case let range as PartialRangeFrom<Int>: contains = { range.contains($0) }
    default:
      let set = Set(codes)
      contains = { set.contains($0) }
      acceptable = { StatusCodeRule.list(set) }
      return
    }
    acceptable = { "\(codes)" }
  }

  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError) {
    let code = response.statusCode
    if contains(code) { return }
    throw LupineError(.unacceptableStatusCode(code), "The status \(code) is not acceptable; \(acceptable()) would be.")
  }

  private static func list(_ codes: Set<Int>) -> String {
    if codes.isEmpty { return "none" }
    let shown = codes.sorted().prefix(20).map(String.init).joined(separator: ", ")
    return codes.count > 20 ? shown + ", …" : shown
  }
}
