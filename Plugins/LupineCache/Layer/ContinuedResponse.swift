import HTTPTypes
import LupineCore
import LupineFoundation

/// Supplies the pieces of a response to the task that stores it.
///
/// If its request is cancelled while others read the response, its transfer goes on for them. If the transfer fails, one
/// more request brings the rest for all of them.
struct ContinuedResponse: Sendable {
  let queue: EntryQueue
  /// What the others read.
  let growing: GrowingEntry?
  let next: NextExchange
  /// The request, without conditions and ranges.
  let original: OutgoingRequest
  let task: BackgroundTask
  private var rest: ResponseBody?
  /// Whether the rest is that of the first transfer.
  private var restIsDetached = false
  /// The position of the next byte of `rest` in the content.
  private var position: Int64 = 0
  private var remaining: Int64?

  private static let misfit = EntryQueue.Piece.failure(
    StoringRefusal(reason: "it broke off, and its rest does not fit what had arrived"))

  init(
    _ queue: EntryQueue, _ growing: GrowingEntry?, _ next: NextExchange, _ original: OutgoingRequest,
    _ task: BackgroundTask
  ) {
    self.queue = queue
    self.growing = growing
    self.next = next
    self.original = original
    self.task = task
  }

  /// Returns the next piece and waits for it.
  mutating func next() async -> EntryQueue.Piece {
    if let rest { return await next(of: rest) }
    let piece = await queue.next()
    guard case .interruption = piece else { return piece }
    return await nextAfterInterruption()
  }

  /// Returns the next piece from the transfer that continues without its request, or from a new request.
  private mutating func nextAfterInterruption() async -> EntryQueue.Piece {
    guard let growing, growing.readWriter != nil else { return .interruption }
    if let rest = await growing.transfer.takeRest() { return await next(ofDetached: rest, growing) }
    // Every byte has arrived, and only the end has not.
    if growing.count == growing.length { return .end(nil) }
    return await requestRest(of: growing) ?? .interruption
  }

  private mutating func next(ofDetached rest: ResponseBody, _ growing: GrowingEntry) async -> EntryQueue.Piece {
    guard (try? task.adopt(rest)) != nil else { return .interruption }
    rest.open(.stream(window: 256 << 10))
    position = growing.count
    self.rest = rest
    restIsDetached = true
    return await next(of: rest)
  }

  /// Requests the rest and returns its first piece; `nil` if no response continues what has arrived.
  private mutating func requestRest(of growing: GrowingEntry) async -> EntryQueue.Piece? {
    let rest = ResponseRest(candidate: growing.candidate, position: growing.count, total: growing.length)
    var request = original
    // The other requests have their own timeouts.
    request.options.timeouts = nil
    for field in rest.fields { request.headers[field.name] = field.value }
    guard let response = try? await task.send(request, through: next) else { return nil }
    let forbidsStorage = CacheDirectives(response.head.headerFields).contains("no-store")
    let continuation = forbidsStorage ? nil : rest.continuation(in: response)
    guard let continuation, !continuation.isOver else {
      response.body.open(.discard(limit: task.limits.discardedBody))
      return continuation.map { _ in .end(nil) }
    }
    response.body.open(.stream(window: 256 << 10))
    position = rest.position - continuation.skipped
    remaining = continuation.length.map { $0 + continuation.skipped }
    self.rest = response.body
    return await next(of: response.body)
  }

  private mutating func next(of rest: ResponseBody) async -> EntryQueue.Piece {
    do throws(LupineError) {
      while var bytes = try await rest.next() {
        remaining? -= Int64(bytes.count)
        guard remaining ?? 0 >= 0, let count = await known(bytes) else { return Self.misfit }
        position += Int64(bytes.count)
        bytes.removeFirst(count)
        // The end of this task cancels the request.
        guard let growing, growing.readWriter != nil else { return .interruption }
        guard !bytes.isEmpty else { continue }
        return growing.resume() ? .bytes(Data(bytes)) : .interruption
      }
      guard remaining ?? 0 == 0, let growing, position >= growing.count else { return Self.misfit }
      return .end(try await rest.end().trailers)
    } catch {
      guard error.isInterruption else { return .failure(StoringRefusal(error)) }
      growing?.interruptRest()
      guard restIsDetached else { return .interruption }
      restIsDetached = false
      return await nextAfterInterruption()
    }
  }

  /// The number of bytes at the front that have arrived before; `nil` if those were others.
  private func known(_ bytes: [UInt8]) async -> Int? {
    guard let growing, position < growing.count else { return 0 }
    let count = Int(min(Int64(bytes.count), growing.count - position))
    guard count > 0, let writer = growing.readWriter,
      let found = try? await writer.read(position..<position + Int64(count)), found.elementsEqual(bytes.prefix(count))
    else { return nil }
    return count
  }
}
