/// Tells the exchange of every byte that goes out.
final class ActiveReader: BodyReader {
  private let base: any BodyReader
  private let control: TransferControl

  init(_ base: any BodyReader, control: TransferControl) {
    self.base = base
    self.control = control
    control.willSend(total: base.length)
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let read = try base.read(into: buffer)
    if case .bytes(let count) = read { control.didSend(count) }
    return read
  }

  func cancel() { base.cancel() }
}
