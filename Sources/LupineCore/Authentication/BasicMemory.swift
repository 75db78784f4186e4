import Synchronization

/// Which credential each proxy of a session accepted last.
final class BasicMemory: Sendable {
  private struct Entry: Sendable, Equatable {
    let proxy: HTTPURL.Origin
    let credential: Credential
  }

  /// One for each proxy; a session has few, and a dictionary would cost a program that starts more than it saves.
  private let accepted = Mutex<[Entry]>([])

  func isAccepted(_ credential: Credential, by proxy: HTTPURL.Origin) -> Bool {
    accepted.withLock { $0.contains(Entry(proxy: proxy, credential: credential)) }
  }

  func note(_ credential: Credential, isAccepted: Bool, by proxy: HTTPURL.Origin) {
    let entry = Entry(proxy: proxy, credential: credential)
    accepted.withLock { accepted in
      if isAccepted {
        accepted.removeAll { $0.proxy == proxy }
        accepted.append(entry)
      } else {
        accepted.removeAll { $0 == entry }
      }
    }
  }
}
