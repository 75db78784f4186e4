import LupineCore
import Synchronization

/// The last challenge of each protection space: an origin, a recipient (server or proxy) and a realm.
///
/// At the capacity, the least recently used space is removed.
final class DigestNonceStore: Sendable {
  static let capacity = 256

  /// A protection space, in which a credential is valid.
  struct ProtectionSpace: Hashable, Sendable {
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

    mutating func answer(_ use: UInt64) -> DigestAnswer {
      lastUse = use
      count &+= 1
      return DigestAnswer(challenge: challenge, nonce: nonce, clientNonce: clientNonce, count: count)
    }
  }

  private struct State {
    var entries: [ProtectionSpace: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Returns the answer to a challenge.
  ///
  /// The nonce count continues if the nonce and the credential are the same as in the last answer; otherwise it starts
  /// at 1.
  func answer(
    for challenge: DigestChallenge, in space: ProtectionSpace, with credential: Credential, clientNonce: () -> String
  ) -> DigestAnswer {
    let fresh = clientNonce()
    return state.withLock { state in
      state.uses += 1
      var entry = Entry(challenge: challenge, credential: credential, clientNonce: fresh, nonce: challenge.nonce)
      if let known = state.entries[space], known.nonce == challenge.nonce, known.credential == credential {
        entry = known
      }
      let answer = entry.answer(state.uses)
      state.entries[space] = entry
      if state.entries.count > Self.capacity,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      return answer
    }
  }

  /// Returns the answer for a request without a challenge, if the credential was accepted in its protection space.
  func answer(forRequestIn context: AuthenticationContext, with credential: Credential) -> DigestAnswer? {
    state.withLock { state in
      let candidates = state.entries.filter { space, entry in
        space.origin == context.origin && space.recipient == context.recipient && entry.isAccepted
          && entry.credential == credential && entry.challenge.covers(context)
      }
      guard let space = candidates.max(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return nil }
      state.uses += 1
      return state.entries[space]?.answer(state.uses)
    }
  }

  /// Returns the last challenge that was answered with this credential and this client nonce.
  ///
  /// It is `nil` if a later challenge has replaced that one.
  func challenge(in space: ProtectionSpace, for credential: Credential, _ clientNonce: String?) -> DigestChallenge? {
    state.withLock { state in
      guard let entry = state.entries[space], entry.credential == credential, entry.clientNonce == clientNonce else {
        return nil
      }
      return entry.challenge
    }
  }

  /// Records that the server accepted the answer, and its nonce for the next request, if it sent one.
  func recordAcceptance(_ space: ProtectionSpace, _ credential: Credential, nonce: String, next: String?) {
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

  /// Removes the space after the server rejected the answer.
  func remove(_ space: ProtectionSpace, _ credential: Credential) {
    state.withLock { state in
      if state.entries[space]?.credential == credential { state.entries[space] = nil }
    }
  }
}

extension DigestChallenge {
  /// Whether the request is in the protection space that `domain` names (RFC 7616 section 3.3).
  ///
  /// A proxy's protection space contains every request.
  fileprivate func covers(_ context: AuthenticationContext) -> Bool {
    guard context.recipient == .origin, !domain.isEmpty else { return true }
    let url = context.request.url
    return domain.contains { place in
      guard let root = try? url.resolving(location: place), root.origin == url.origin else { return false }
      return url.path.hasPrefix(root.path)
    }
  }
}
