import HTTPTypes
import LupineCore

/// The server's reaction to a body that waits for 100 Continue (RFC 9110 section 10.1.1).
enum ServerWord: Sendable, Hashable {
  /// 100 Continue after a delay; `nil` sends nothing before the final response.
  case permission(after: Duration?)
  /// The final response after a delay.
  case answer(after: Duration)
}

extension ReplyPlan {
  /// The reaction to a body that waits for 100 Continue.
  var word: ServerWord {
    if let word = part.word { return word }
    if part.informational.contains(where: { $0.status.code == 100 }) { return .permission(after: .zero) }
    if problem != nil || part.failure != nil { return .answer(after: part.delay) }
    switch part.fault {
    case .stallBeforeHead: return .permission(after: nil)
    case .resetBeforeHead, .goAway, .doubledLength: return .answer(after: part.delay)
    default: return refusesBody ? .answer(after: part.delay) : .permission(after: .zero)
    }
  }

  /// Whether the status is one without need for the body: an error, or a redirect that repeats the body.
  private var refusesBody: Bool { part.status.code >= 400 || part.status.code == 307 || part.status.code == 308 }

  /// The interim responses up to 100 Continue.
  var permission: [HTTPResponse] {
    guard let index = part.informational.firstIndex(where: { $0.status.code == 100 }) else {
      return [HTTPResponse(status: .continue)]
    }
    return Array(part.informational[...index])
  }
}
