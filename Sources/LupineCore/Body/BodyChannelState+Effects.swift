// The results of changes of a `BodyChannelState`.
extension BodyChannelState {
  /// The next step of a consumer.
  enum Step {
    /// There is a piece, or the body has ended.
    case deliver(Piece)
    /// Bytes wait for the stages, the observers or the file; `putBack` must follow.
    case process(BodyWork)
    /// The consumer waits.
    case wait
    /// Nothing is left to process, or another task does it.
    case nothing
  }

  /// The work that the caller does outside the lock.
  struct Effects {
    /// The observers of the bytes whose body has no consumer left, and the error that they receive.
    var unserved: (tees: [BodyTee], error: LupineError)?
    var waiters: [Waiter] = []
    var notification: BodyEndListeners.Notification?
    /// Resumes the transport.
    var resume: (@Sendable () -> Void)?
    /// A closure that is only released.
    var released: (@Sendable () -> Void)?
    /// The error with which the exchange is to be cancelled.
    var fault: LupineError?
  }
}
