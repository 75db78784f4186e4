import HTTPTypes
import LupineFoundation
import LupineSupport
import LupineTesting
import Synchronization

/// The origin server of a comparison, which records whether each request has a condition.
///
/// The field value `@-60` stands for the date 60 seconds before the start of the tests. So a response is old when it
/// arrives, and no test waits.
final class ComparisonOrigin: Sendable {
  private let replies: [ComparisonCase.Reply]
  /// Whether each request since the last call of `takeAsked()` had a condition.
  private let asked = Mutex<[Bool]>([])
  private let count = Mutex(0)

  init(_ replies: [ComparisonCase.Reply]) { self.replies = replies }

  /// Returns whether each request since the last call had a condition.
  func takeAsked() -> [Bool] { asked.withLock { exchange(&$0, with: []) } }

  func answer(_ request: ReceivedHTTPRequest) -> ScriptedReply {
    let isConditional = request.fields["If-None-Match"] != nil || request.fields["If-Modified-Since"] != nil
    asked.withLock { $0.append(isConditional) }
    let number = count.withLock { count in
      count += 1
      return count
    }
    let reply = replies[min(number, replies.count) - 1]
    var fields = RawFields()
    for (name, value) in reply.fields { fields.append(name, Self.resolved(value, host: request.fields["Host"] ?? "")) }
    if fields["Date"] == nil { fields.append("Date", Self.date(0)) }
    if Self.confirms(request, fields) { return .respond(status: 304, fields: fields) }
    if request.method == .get, reply.acceptsRanges, let text = request.fields["Range"] {
      return Self.part(text, fields)
    }
    let hasBody = ![204, 304].contains(reply.status)
    return .respond(status: reply.status, fields: fields, body: hasBody ? .text(ComparisonCase.body) : .none)
  }

  /// Answers a request for the range `bytes=1-3`, and refuses every other range.
  private static func part(_ range: String, _ fields: RawFields) -> ScriptedReply {
    guard range == "bytes=1-3" else { return .respond(status: 416, fields: fields) }
    var fields = fields
    fields.append("Content-Range", "bytes 1-3/\(ComparisonCase.body.utf8.count)")
    return .respond(status: 206, fields: fields, body: .text(String(ComparisonCase.body.dropFirst().prefix(3))))
  }

  private static func confirms(_ request: ReceivedHTTPRequest, _ fields: RawFields) -> Bool {
    if let tag = request.fields["If-None-Match"] { return tag == fields["ETag"] }
    guard let since = request.fields["If-Modified-Since"] else { return false }
    return since == fields["Last-Modified"]
  }

  private static func resolved(_ value: String, host: String) -> String {
    if value.hasPrefix("@"), let seconds = Double(value.dropFirst()) { return date(seconds) }
    return value.replacing("HOST", with: host)
  }

  /// The date that is `seconds` after the start of the tests.
  private static func date(_ seconds: Double) -> String {
    HTTPDate.text(started.addingTimeInterval(seconds)) ?? ""
  }

  /// One moment for all dates, so that a validator is the same in each response.
  private static let started = Date()
}
