import Synchronization

/// Which credential each proxy of a session accepted last.
final class BasicMemory: Sendable {
  private let accepted = Mutex<[HTTPURL.Origin: Credential]>([:])

  func isAccepted(_ credential: Credential, by proxy: HTTPURL.Origin) -> Bool {
    accepted.withLock { $0[proxy] == credential }
  }

  func note(_ credential: Credential, isAccepted: Bool, by proxy: HTTPURL.Origin) {
    accepted.withLock { accepted in
      if isAccepted {
        accepted[proxy] = credential
      } else if accepted[proxy] == credential {
        accepted[proxy] = nil
      }
    }
  }
}
