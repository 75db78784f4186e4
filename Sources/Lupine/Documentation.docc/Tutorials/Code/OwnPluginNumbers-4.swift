import Lupine
import Synchronization

/// Whether a request gets a number.
enum Numbering: RequestOptionKey {
  case on, off

  static var defaultValue: Numbering { .on }
}

/// Gives each request of a session a number, in a field of its own.
struct RequestNumbers: Plugin {
  var field = "X-Request-Number"

  func install(in builder: inout Session.Builder) {
    guard HTTPField.Name(field) != nil else {
      let issue = ConfigurationIssue(part: "request numbers", reason: "\"\(field)\" is no name of a field.")
      builder = builder.issue(issue)
      return
    }
    builder = builder.adapter(NumberingAdapter(field: field))
  }
}

/// Counts the attempts of a session's requests.
private final class NumberingAdapter: RequestAdapter {
  private let field: String
  private let last = Mutex(0)

  init(field: String) { self.field = field }

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    guard request.options[Numbering.self] == .on else { return request }
    let number = last.withLock { last in
      last += 1
      return last
    }
    var request = request
    request.headers[field] = "\(number)"
    return request
  }
}
