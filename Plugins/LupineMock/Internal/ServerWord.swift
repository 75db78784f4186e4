import HTTPTypes
import LupineCore

/// What a server says of a body that waits for its word (RFC 9110 section 10.1.1).
enum ServerWord: Sendable, Hashable {
  /// 100 Continue, after so long; nil says nothing before the answer.
  case permission(after: Duration?)
  /// The answer itself, after so long.
  case answer(after: Duration)
}

extension ReplyPlan {
  /// What it says of such a body.
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

  /// Whether its status is that of a server that does without the body: an error, or a redirect that takes the body along.
  private var refusesBody: Bool { part.status.code >= 400 || part.status.code == 307 || part.status.code == 308 }

  /// The interim responses up to the one that lets the body go.
  var permission: [HTTPResponse] {
    guard let index = part.informational.firstIndex(where: { $0.status.code == 100 }) else {
      return [HTTPResponse(status: .continue)]
    }
    return Array(part.informational[...index])
  }
}
