import LupineSupport

// The calls of the consumer of a body.
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

  /// Whether a consumer is processing bytes.
  var isProcessing: Bool { processing?.value.isRunning == true }

  /// Whether the body goes to a file, which is still open.
  var hasFile: Bool { processing?.value.hasFile == true }

  /// Returns the next step of the reader of a streamed body, and the closure that resumes the transport.
  mutating func next() -> (Step, resume: (@Sendable () -> Void)?) {
    if let piece = buffer.takePiece() { return (.deliver(.success(piece)), resumeIfRoom() ? resume : nil) }
    // After a failure, the reader still gets what came before it.
    if let work = takeWork() { return (.process(work), resumeIfRoom() ? resume : nil) }
    if hasEnded, let reportedEnd { return (.deliver(reportedEnd.map { _ in nil }), nil) }
    return (.wait, resumeIfRoom() ? resume : nil)
  }

  /// Returns the next step of a task that awaits the end of a body, and the closure that resumes the transport.
  ///
  /// A streamed body is processed by its reader alone.
  mutating func nextBeforeEnd() -> (Step, resume: (@Sendable () -> Void)?) {
    guard !hasEnded, processing != nil, !buffer.isStreamed, !isProcessing else { return (.nothing, nil) }
    return (takeWork().map { .process($0) } ?? .wait, resumeIfRoom() ? resume : nil)
  }

  private mutating func takeWork() -> BodyWork? { processing?.value.take(before: reportedEnd, tees) }

  /// Returns the next step until the bytes that have arrived are in the file.
  mutating func nextForFile() -> Step {
    guard hasFile else { return .nothing }
    if isProcessing { return .wait }
    guard processing?.value.raw.isEmpty == false else { return .nothing }
    return takeWork().map { .process($0) } ?? .nothing
  }

  /// Stores a piece that the stages have produced; returns whether there is room for more.
  mutating func store(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Bool {
    try buffer.append(bytes)
    return !buffer.isFull
  }

  /// Ends a step of processing.
  mutating func putBack(_ work: consuming BodyWork, _ error: LupineError?) -> Effects {
    let isLast = work.isLast
    if isLast || error != nil { tees = [] }
    if work.processor.hasFile { buffer.count(work.processor.byteCount) }
    processing?.value.putBack(work)
    if isAbandoned { processing?.value.abandon() }
    defer { closeFile() }
    // The end of an abandoned body does not depend on its stages.
    if let error, !isAbandoned { return fail(processing: error) }
    if isLast || isAbandoned { finishIfProcessed(hasFinished: isLast) }
    return effects(shouldResume: resumeIfRoom())
  }

  /// Adds a consumer that waits; returns false if there is something to do for it.
  mutating func wait(_ waiter: Waiter) -> Bool {
    let hasWork = processing?.value.canBeTaken(before: reportedEnd) == true
    guard isProcessing || (!hasEnded && buffer.isDrained && !hasWork) else { return false }
    waiters.append(waiter)
    return true
  }
}
