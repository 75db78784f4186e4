/// Tells the exchange of every byte that goes out.
final class ActiveReader: BodyReader {
  private let base: any BodyReader
  private let control: TransferControl

  init(_ base: any BodyReader, control: TransferControl) {
    self.base = base
    self.control = control
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    control.touch()
    return try base.read(into: buffer)
  }

  func cancel() { base.cancel() }
}
