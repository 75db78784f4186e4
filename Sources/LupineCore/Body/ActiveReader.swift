import Synchronization

/// Tells the exchange of every byte that goes out, and of the last one.
final class ActiveReader: BodyReader {
  private let base: any BodyReader
  private let control: ExchangeControl
  private let sent = Atomic<Int64>(0)
  private let onEnd: @Sendable (Int64) -> Void

  init(_ base: any BodyReader, control: ExchangeControl, onEnd: @escaping @Sendable (Int64) -> Void) {
    self.base = base
    self.control = control
    self.onEnd = onEnd
    control.willSend(total: base.length)
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let read = try base.read(into: buffer)
    note(read)
    return read
  }

  func note(_ read: BodyRead) {
    switch read {
    case .bytes(let count):
      control.didSend(count)
      let sum = sent.add(Int64(count), ordering: .relaxed).newValue
      if sum == base.length { onEnd(sum) }
    // A body whose length is known has said so at its last byte.
    case .end where base.length == nil: onEnd(sent.load(ordering: .relaxed))
    default: break
    }
  }

  func cancel() { base.cancel() }
}
