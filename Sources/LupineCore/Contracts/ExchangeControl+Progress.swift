import LupineSupport
import Synchronization

// The progress of both bodies.
extension ExchangeControl {
  /// Records the extent of the request's body before it is sent.
  ///
  /// - Parameter length: the number of bytes of the body; `nil` if it is not known.
  func willSend(_ part: UploadPart, length: Int64?) {
    supervisor?.willSend(from: part.offset, length: part.rest ?? length, at: activity.now())
  }

  /// - Parameter sum: the number of bytes that have been sent of this body.
  func didSend(_ count: Int, sum: Int64) {
    let now = activity.now()
    recordActivity(at: now)
    activity.addSent(count)
    supervisor?.didSend(sum, at: now)
  }

  func didAcknowledge(_ count: Int64, of total: Int64?) {
    supervisor?.didAcknowledge(count, of: total, at: activity.now())
  }

  func didReceive(_ count: Int) {
    let now = activity.now()
    recordActivity(at: now)
    let sum = activity.addReceived(count)
    if let supervisor, isAnswer { supervisor.didReceive(sum, at: now) }
  }

  /// Reports the number of bytes that have been written to a file.
  ///
  /// The progress of a download never exceeds what a process that is killed leaves in the file.
  func didWrite(_ count: Int64) { supervisor?.didReceive(count, at: activity.now()) }

  /// Counts received bytes as progress of the download, until the exchange is over.
  ///
  /// - Parameter body: the response's body, of which some bytes may have arrived.
  // For the session, which alone knows which response the request returns.
  package func countAsProgress(_ body: ResponseBody) {
    countsAsProgress.store(true, ordering: .relaxed)
    let early = body.exchange.activity.bytesReceived
    if early > 0, owns(body) { supervisor?.didReceive(early, at: activity.last) }
  }
}

/// The position of a request's body in a longer upload.
struct UploadPart: Sendable {
  /// The number of bytes before the body.
  var offset: Int64 = 0
  /// The number of bytes of the whole upload; `nil` if it ends with the body.
  var total: Int64?

  /// The number of bytes from the offset to the end of the upload; `nil` if it ends with the body.
  var rest: Int64? { total.map { max(0, $0 - offset) } }
}
