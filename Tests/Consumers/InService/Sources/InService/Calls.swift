import Lupine

/// The calls of a server that makes requests to other servers to answer them.
struct Calls {
  let session: Session

  /// Answers a call; all requests that it makes share the deadline of the call.
  func answer(_ name: String, before deadline: some InstantProtocol<Duration>) async throws -> String {
    try await Session.withDeadline(deadline) {
      async let profile = session.request("profiles/{name}", path: ["name": name]).validate().serializingString().value
      async let orders = session.request("orders").validate().serializingString().value
      return try await "\(profile): \(orders)"
    }
  }
}
