import Synchronization

/// Reports the reads of a request's body, and its end, to the exchange.
final class UploadReport: Sendable {
  private let length: Int64?
  private let control: ExchangeControl
  private let sent = Atomic<Int64>(0)
  private let onEnd: @Sendable (Int64) -> Void

  /// - Parameters:
  ///   - length: the number of bytes of the body; `nil` if it is not known.
  ///   - onEnd: receives the number of bytes of the body; called by `add` with the read that completes the body, on the
  ///     thread of that call.
  init(of part: UploadPart, length: Int64?, control: ExchangeControl, onEnd: @escaping @Sendable (Int64) -> Void) {
    self.length = length
    self.control = control
    self.onEnd = onEnd
    control.willSend(part, length: length)
  }

  /// Reports one read.
  func add(_ read: BodyRead) {
    switch read {
    case .bytes(let count):
      let sum = sent.add(Int64(count), ordering: .relaxed).newValue
      control.didSend(count, sum: sum)
      if sum == length { onEnd(sum) }
    // A body with a known length has reported its end at its last byte.
    case .end where length == nil: onEnd(sent.load(ordering: .relaxed))
    default: break
    }
  }
}
