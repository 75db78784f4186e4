// The calls of the consumer of a body.
extension BodyChannelState {
  /// Returns the next step of the reader of a streamed body, and the closure that resumes the transport.
  mutating func next() -> (Step, resume: (@Sendable () -> Void)?) {
    if let piece = content.takePiece() { return (.deliver(.success(piece)), resumeIfRoom() ? resume : nil) }
    // After a failure, the reader still gets what came before it.
    if let work = takeWork() { return (.process(work), resumeIfRoom() ? resume : nil) }
    if isSettled, let ending { return (.deliver(ending.map { _ in nil }), nil) }
    return (.wait, resumeIfRoom() ? resume : nil)
  }

  /// Returns the next step of a task that awaits the end of a body, and the closure that resumes the transport.
  ///
  /// A streamed body is processed by its reader alone.
  mutating func nextBeforeEnd() -> (Step, resume: (@Sendable () -> Void)?) {
    guard !isSettled, content.isProcessed, !content.isStreamed, !content.isRunning else { return (.nothing, nil) }
    return (takeWork().map { .process($0) } ?? .wait, resumeIfRoom() ? resume : nil)
  }

  private mutating func takeWork() -> BodyWork? { content.takeWork(before: ending, tees) }

  /// Returns the next step until the bytes that have arrived are in the file.
  mutating func nextForFile() -> Step {
    guard content.hasFile else { return .nothing }
    if content.isRunning { return .wait }
    return content.hasUnprocessed ? takeWork().map { .process($0) } ?? .nothing : .nothing
  }

  /// Stores a piece that the stages have produced; returns whether there is room for more.
  mutating func store(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Bool {
    try content.store(bytes)
  }

  /// Ends a step of processing.
  mutating func putBack(_ work: consuming BodyWork, _ error: LupineError?) -> Effects {
    let isLast = work.isLast
    if isLast || error != nil { tees = [] }
    content.putBack(work)
    if isAbandoned { content.dropUnprocessed() }
    defer { releaseFile() }
    // The end of an abandoned body does not depend on its stages.
    if let error, !isAbandoned { return fail(processing: error) }
    if isLast || isAbandoned { settleIfProcessed(hasFinished: isLast) }
    return effects(shouldResume: resumeIfRoom())
  }

  /// Adds a consumer that waits; returns false if there is something to do for it.
  mutating func wait(_ waiter: Waiter) -> Bool {
    guard content.isRunning || (!isSettled && content.isDrained && !content.hasWork(before: ending)) else {
      return false
    }
    waiters.append(waiter)
    return true
  }
}
