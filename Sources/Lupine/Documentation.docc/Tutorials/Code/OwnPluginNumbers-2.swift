import Lupine
import Synchronization

/// Gives each request of a session a number, in a field of its own.
struct RequestNumbers: Plugin {
  func install(in builder: inout Session.Builder) {
    builder = builder.adapter(NumberingAdapter())
  }
}

/// Counts the attempts of a session's requests.
private final class NumberingAdapter: RequestAdapter {
  private let last = Mutex(0)

  func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
    let number = last.withLock { last in
      last += 1
      return last
    }
    var request = request
    request.headers["X-Request-Number"] = "\(number)"
    return request
  }
}
