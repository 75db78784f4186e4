/// Reports the bytes that it reads, and the end of the body, to the exchange.
final class ActiveReader: BodyReader {
  private let base: any BodyReader
  private let progress: UploadReport

  init(_ base: any BodyReader, reportingTo progress: UploadReport) {
    self.base = base
    self.progress = progress
  }

  /// A transport may drop the reader without `cancel()`.
  deinit { base.cancel() }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let read = try base.read(into: buffer)
    progress.add(read)
    return read
  }

  func cancel() { base.cancel() }
}
