import LupineCore
import Synchronization

/// What servers said in their last challenges, each in its own protection space: an origin, who asked, and a realm.
///
/// It holds so many spaces at most; the one that was used least recently goes first.
final class DigestMemory: Sendable {
  static let capacity = 256

  /// Where a credential is valid.
  struct Space: Hashable, Sendable {
    let origin: HTTPURL.Origin
    let recipient: AuthenticationContext.Recipient
    let realm: String
  }

  private struct Entry {
    let challenge: DigestChallenge
    let credential: Credential
    let clientNonce: String
    var nonce: String
    var count: UInt32 = 0
    var isAccepted = false
    var lastUse: UInt64 = 0

    mutating func turn(_ use: UInt64) -> DigestTurn {
      lastUse = use
      count &+= 1
      return DigestTurn(challenge: challenge, nonce: nonce, clientNonce: clientNonce, count: count)
    }
  }

  private struct State {
    var entries: [Space: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The turn that answers a challenge: a nonce seen before is counted on, a new one begins anew.
  func turn(
    for challenge: DigestChallenge, in space: Space, with credential: Credential, clientNonce: () -> String
  ) -> DigestTurn {
    let fresh = clientNonce()
    return state.withLock { state in
      state.uses += 1
      var entry = Entry(challenge: challenge, credential: credential, clientNonce: fresh, nonce: challenge.nonce)
      if let known = state.entries[space], known.nonce == challenge.nonce, known.credential == credential {
        entry = known
      }
      let turn = entry.turn(state.uses)
      state.entries[space] = entry
      if state.entries.count > Self.capacity,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      return turn
    }
  }

  /// The turn for a request nobody challenged yet, where the credential was accepted for its place.
  func turn(anticipating context: AuthenticationContext, with credential: Credential) -> DigestTurn? {
    state.withLock { state in
      let fitting = state.entries.filter { space, entry in
        space.origin == context.origin && space.recipient == context.recipient && entry.isAccepted
          && entry.credential == credential && entry.challenge.covers(context)
      }
      guard let space = fitting.max(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return nil }
      state.uses += 1
      return state.entries[space]?.turn(state.uses)
    }
  }

  /// What a server asked for that was answered with this credential and this nonce of ours, where it has not asked anew.
  func challenge(in space: Space, for credential: Credential, _ clientNonce: String?) -> DigestChallenge? {
    state.withLock { state in
      guard let entry = state.entries[space], entry.credential == credential, entry.clientNonce == clientNonce else {
        return nil
      }
      return entry.challenge
    }
  }

  /// The server took the answer; it may want another nonce next time.
  func accept(_ space: Space, _ credential: Credential, nonce: String, next: String?) {
    state.withLock { state in
      guard var entry = state.entries[space], entry.credential == credential else { return }
      entry.isAccepted = true
      if let next, !next.isEmpty, entry.nonce == nonce, next != nonce {
        entry.nonce = next
        entry.count = 0
      }
      state.entries[space] = entry
    }
  }

  /// The server refused the answer.
  func forget(_ space: Space, _ credential: Credential) {
    state.withLock { state in
      if state.entries[space]?.credential == credential { state.entries[space] = nil }
    }
  }
}

extension DigestChallenge {
  /// Whether the request lies in the space that `domain` names; a proxy's is everything (RFC 7616 section 3.3).
  fileprivate func covers(_ context: AuthenticationContext) -> Bool {
    guard context.recipient == .origin, !domain.isEmpty else { return true }
    let url = context.request.url
    return domain.contains { place in
      guard let root = try? url.resolving(location: place), root.origin == url.origin else { return false }
      return url.path.hasPrefix(root.path)
    }
  }
}
