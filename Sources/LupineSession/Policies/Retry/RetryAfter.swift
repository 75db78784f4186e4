import FoundationEssentials
import HTTPTypes
import LupineSupport

/// How long a server asks to wait (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// The delay that `Retry-After` names, in either form; a date that has passed is no delay, and a field that is malformed
  /// is as none.
  static func delay(_ head: HTTPResponse, now: Date) -> Duration? {
    head.headerFields[values: .retryAfter].lazy.compactMap { delay($0, now: now) }.first
  }

  private static func delay(_ value: String, now: Date) -> Duration? {
    let text = String(value.trimmingBlanks())
    guard !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than a number holds are a delay beyond every cap.
      return .seconds(Int64(text) ?? .max)
    }
    return HTTPDate.parse(text, now: now).map { .seconds(max(0, $0.timeIntervalSince(now))) }
  }
}
