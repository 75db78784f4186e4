import Synchronization

/// Which credential each proxy of a session accepted last.
final class BasicMemory: Sendable {
  /// A dictionary in a struct: the lock around a bare one asks for the dictionary's type when it ends, in a session without a
  /// proxy too, which takes the runtime 250,000 instructions.
  private struct State {
    var accepted: [HTTPURL.Origin: Credential] = [:]
  }

  private let state = Mutex(State())

  func isAccepted(_ credential: Credential, by proxy: HTTPURL.Origin) -> Bool {
    state.withLock { $0.accepted[proxy] == credential }
  }

  func note(_ credential: Credential, isAccepted: Bool, by proxy: HTTPURL.Origin) {
    state.withLock { state in
      if isAccepted {
        state.accepted[proxy] = credential
      } else if state.accepted[proxy] == credential {
        state.accepted[proxy] = nil
      }
    }
  }
}
