import LupineFoundation
import LupineSupport

/// The bytes of a body that have arrived: those in memory, and those that wait for the observers, the stages or the
/// file.
struct BodyContent {
  /// The bytes in memory.
  private var target = BodyTarget()
  /// The stages and the file of a body that has any, with the bytes that wait for them.
  ///
  /// Stored indirectly: most bodies have none.
  private var processing: CopyOnWrite<BodyProcessing>?

  /// Sets the destination of the bytes, including those that have arrived.
  ///
  /// - Parameter isProcessed: whether the bytes pass through stages or observers, or go to a file.
  mutating func open(_ sink: BodySink, isProcessed: Bool) throws(LupineError) {
    if isProcessed { processing = CopyOnWrite(try BodyProcessing(sink, early: target.takeEarly())) }
    target.become(sink.destination)
    if !isProcessed { try target.checkLimit() }
  }

  /// Whether the consumer processes the bytes that arrive.
  var isProcessed: Bool { processing != nil }

  /// Whether a consumer is processing bytes.
  var isRunning: Bool { processing?.value.isRunning == true }

  /// Whether the body goes to a file, which is still open.
  var hasFile: Bool { processing?.value.hasFile == true }

  /// Whether bytes wait to be processed.
  var hasUnprocessed: Bool { processing?.value.raw.isEmpty == false }

  /// Whether a consumer takes the bytes as they arrive.
  var isStreamed: Bool { target.isStreamed }

  /// Whether no bytes in memory wait for the consumer.
  var isDrained: Bool { target.isDrained }

  /// Whether the consumer must catch up before more bytes come.
  var isFull: Bool { target.isFull || processing?.value.isFull == true }

  /// The number of bytes that reached the destination.
  var byteCount: Int64 { target.byteCount }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { target.gathered(limit: limit) }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if processing == nil {
      try target.take(bytes)
    } else {
      processing?.value.raw.append(contentsOf: bytes)
    }
  }

  /// Takes bytes from data in memory.
  mutating func write(_ data: Data) throws(LupineError) {
    if try keep(data) { return }
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try write(bytes) }
    }
    try result.get()
  }

  /// Takes data without a copy; returns false if the bytes must be copied.
  mutating func keep(_ data: Data) throws(LupineError) -> Bool {
    guard processing == nil else { return false }
    return try target.keep(data)
  }

  /// Takes the next piece of a streamed body.
  mutating func takePiece() -> [UInt8]? {
    target.reclaim()
    return target.takePiece()
  }

  /// Takes the bytes of a `collect` sink.
  mutating func takeCollected() -> Data { target.takeCollected() }

  /// Whether there is work for a consumer: bytes to process, or the end of the body.
  func hasWork(before ending: BodyChannelState.End?) -> Bool {
    processing?.value.canBeTaken(before: ending) == true
  }

  /// Takes out the bytes that wait to be processed.
  mutating func takeWork(before ending: BodyChannelState.End?, _ tees: [BodyTee]) -> BodyWork? {
    processing?.value.take(before: ending, tees)
  }

  /// Stores a piece that the stages have produced; returns whether there is room for more.
  mutating func store(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Bool {
    try target.take(bytes)
    return !target.isFull
  }

  /// Ends a step of processing.
  mutating func putBack(_ work: consuming BodyWork) {
    if work.processor.hasFile { target.count(work.processor.byteCount) }
    processing?.value.putBack(work)
  }

  /// Drops the bytes that wait to be processed.
  mutating func dropUnprocessed() { processing?.value.drop() }

  /// Drops the waiting bytes and all later ones.
  mutating func abandon() {
    dropUnprocessed()
    target.abandon()
  }

  /// Records that no more bytes come.
  mutating func close() { target.close() }

  /// Closes the file, unless a write is under way.
  mutating func closeFile() {
    guard let processing, processing.value.hasFile, !processing.value.isRunning else { return }
    processing.value.close()
    self.processing = nil
  }
}
