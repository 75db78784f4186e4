import LupineCore
import LupineFraming

/// The challenges of an exchange that libcurl may answer itself, with NTLM or Negotiate.
///
/// Allocated with the first challenge.
final class ConnectionAuthentication {
  /// The challenge that libcurl may answer; nil after libcurl has answered it.
  var challenge: HeldChallenge?
  private var rounds = AuthenticationRounds()

  /// Holds a challenge that libcurl may answer.
  ///
  /// - Parameter tolerated: the tolerances that the head needed.
  func hold(
    _ head: ReceivedHead, isEmpty: Bool, after tolerated: ResponseTolerances, _ context: TransferContext
  ) {
    let content = head.statusLine.isMultiplexed ? nil : ChallengeContent(head, isEmpty: isEmpty, context)
    challenge = HeldChallenge(head: head, content: content, endsConnection: tolerated.endsConnection)
  }

  /// Drops the challenge if the line begins another head, which shows that libcurl has answered the challenge.
  ///
  /// - Returns: whether a challenge was dropped.
  func dropChallenge(before line: UnsafeRawBufferPointer) -> Bool {
    guard challenge != nil, line.starts(with: "HTTP/".utf8) else { return false }
    challenge = nil
    return true
  }

  /// Begins the next round of NTLM or Negotiate: libcurl has read the held challenge and answers it.
  ///
  /// - Parameter hasSurplus: whether bytes follow the challenge that libcurl has not read.
  /// - Returns: whether there is a challenge.
  /// - Throws: kind `malformedResponse` if its content is malformed, or the error of too many rounds.
  func beginRound(hasSurplus: @autoclosure () -> Bool) throws(LupineError) -> Bool {
    guard let challenge else { return false }
    try challenge.finish(hasSurplus: hasSurplus())
    try rounds.begin(isProxy: challenge.head.statusLine.code == 407)
    self.challenge = nil
    return true
  }
}

/// A challenge that libcurl may answer.
///
/// If libcurl answers, another head follows; otherwise this head is the response's.
struct HeldChallenge {
  let head: ReceivedHead
  /// The content, while libcurl may discard it itself; `nil` over HTTP/2.
  var content: ChallengeContent?
  /// Whether the head was read with a tolerance after which no message may follow on the connection.
  var endsConnection = false

  /// Checks that the content, which libcurl discards, is complete, and that its end is certain.
  ///
  /// libcurl would continue on the connection in each of the error cases.
  ///
  /// - Parameter hasSurplus: whether bytes follow the content that libcurl has not read.
  /// - Throws: `LupineError` of kind `malformedResponse` if bytes follow the content, if it is not complete, or if the head
  ///   was read with a tolerance that ends the connection.
  func finish(hasSurplus: Bool) throws(LupineError) {
    if endsConnection { throw MalformedChallenge.tolerated.error }
    if content?.hasSurplus == true || hasSurplus { throw MalformedChallenge.surplus.error }
    if content?.isUnfinished == true { throw MalformedChallenge.unfinished.error }
  }
}
