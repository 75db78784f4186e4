import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// The result of recording a body.
struct RecordedBody: Sendable {
  /// The decoded bytes.
  var body: CollectedBody
  /// The content codings that were removed, in the order in which they were applied.
  var codings: [String]
  /// The pieces in which the bytes arrived, with their decoded counts.
  var chunks: [Cassette.Chunk]
}

/// Records a body on its way to its consumer: removes its content codings, collects it, and notes its pieces.
///
/// A failure, such as a full disk, does not harm the transfer. It is passed on at the end. `receive` and `end` block
/// while the disk works; their calls do not overlap.
final class BodyRecorder: BodyObserver {
  /// Receives the recorded body or the failure of the recording, and the end of the body.
  ///
  /// It is called once, where `end` is called.
  typealias Completion =
    @Sendable (Result<RecordedBody, LupineError>, _ end: Result<BodyEnd, LupineError>) -> Void

  fileprivate struct State: Sendable {
    let decoding: BodyDecoding
    var collector: BodyCollector
    var chunks = ChunkList()
    /// The rest of the piece whose bytes come next, and the number of decoded bytes that it has had so far.
    var piece: (rest: Int, after: Duration, decoded: Int)?
    var failure: LupineError?
  }

  private let arrivals: ArrivalLog
  private let completion: Completion
  /// `nil` while a call uses it, so that no lock is held while the disk works.
  private let state: Mutex<State?>

  /// - Parameters:
  ///   - decoding: the codings to remove.
  ///   - store: receives a body that is not kept in memory.
  ///   - arrivals: receives the sizes and times of the pieces before `receive` gets their bytes.
  init(
    _ decoding: BodyDecoding, to store: BodyStore, arrivals: ArrivalLog, completion: @escaping Completion
  ) {
    self.arrivals = arrivals
    self.completion = completion
    state = Mutex(State(decoding: decoding, collector: BodyCollector(store)))
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard var state = state.withLock({ $0.take() }) else { return }
    if state.failure == nil {
      do throws(LupineError) {
        try state.receive(bytes, arrivals)
      } catch {
        state.failure = error
      }
    }
    self.state.withLock { $0 = state }
  }

  func end(_ result: Result<BodyEnd, LupineError>) {
    guard var state = state.withLock({ $0.take() }) else { return }
    let isComplete = (try? result.get()) != nil
    let recorded = Result { () throws(LupineError) in
      if let failure = state.failure { throw failure }
      return try state.finish(isComplete: isComplete)
    }
    completion(recorded, result)
  }
}

extension BodyRecorder.State {
  fileprivate mutating func receive(_ bytes: UnsafeRawBufferPointer, _ arrivals: ArrivalLog) throws(LupineError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if piece == nil {
        let arrival = arrivals.next() ?? (rest.count, chunks.last)
        piece = (arrival.count, arrival.after, 0)
      }
      let part = rest.prefix(piece?.rest ?? 0)
      rest = rest.dropFirst(part.count)
      let decoded = try decode(UnsafeRawBufferPointer(rebasing: part))
      piece?.rest -= part.count
      piece?.decoded += decoded
      if let whole = piece, whole.rest <= 0 {
        chunks.add(Cassette.Chunk(after: whole.after, count: whole.decoded))
        piece = nil
      }
    }
  }

  private mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Int {
    var count = 0
    try decoding.decode(bytes) { (output) throws(LupineError) in
      count += output.count
      try collector.append(output)
    }
    return count
  }

  fileprivate mutating func finish(isComplete: Bool) throws(LupineError) -> RecordedBody {
    if let piece { chunks.add(Cassette.Chunk(after: piece.after, count: piece.decoded)) }
    if isComplete {
      var count = 0
      try decoding.finish { (output) throws(LupineError) in
        count += output.count
        try collector.append(output)
      }
      chunks.extendLast(by: count)
    }
    return RecordedBody(body: try collector.finish(), codings: decoding.names, chunks: chunks.chunks)
  }
}

/// The sizes and times of a body's pieces that have arrived and whose bytes the recorder has not received yet.
///
/// `add` may be called on a transport's thread.
final class ArrivalLog: Sendable {
  private struct State {
    var arrivals: [(count: Int, after: Duration)] = []
    /// The number of arrivals that have been taken.
    var taken = 0
  }

  private let state = Mutex(State())

  /// Notes a piece.
  ///
  /// - Parameter time: the time since the beginning of the exchange.
  func add(_ count: Int, after time: Duration) {
    guard count > 0 else { return }
    state.withLock { $0.arrivals.append((count, time)) }
  }

  /// Takes the oldest piece.
  func next() -> (count: Int, after: Duration)? {
    state.withLock { state in
      guard state.taken < state.arrivals.count else { return nil }
      let arrival = state.arrivals[state.taken]
      state.taken += 1
      if state.taken == state.arrivals.count || state.taken > 1_000 {
        state.arrivals.removeFirst(state.taken)
        state.taken = 0
      }
      return arrival
    }
  }
}

/// The pieces of a body, at most 200,000.
///
/// Of a body with more, pieces that follow each other become one, with the time of the last of them.
struct ChunkList: Sendable {
  static let limit = 200_000

  private(set) var chunks: [Cassette.Chunk] = []

  /// The time of the last piece.
  var last: Duration { chunks.last?.after ?? .zero }

  mutating func add(_ chunk: Cassette.Chunk) {
    chunks.append(chunk)
    guard chunks.count > Self.limit else { return }
    chunks = stride(from: 0, to: chunks.count, by: 2).map { index in
      guard index + 1 < chunks.count else { return chunks[index] }
      return Cassette.Chunk(after: chunks[index + 1].after, count: chunks[index].count + chunks[index + 1].count)
    }
  }

  /// Adds bytes to the last piece.
  mutating func extendLast(by count: Int) {
    guard count > 0 else { return }
    if chunks.isEmpty {
      chunks.append(Cassette.Chunk(after: .zero, count: count))
    } else {
      chunks[chunks.count - 1].count += count
    }
  }
}
