import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// The bytes of a reply, piece by piece, with their delays.
struct PieceSource: Sendable {
  private enum Kind {
    case bytes(Data)
    case chunks([Data], every: Duration)
    case reader(AsyncBodyReader)
  }

  private let kind: Kind
  private let clock: any Clock<Duration>
  private var position = 0

  /// The total number of bytes, if it is known.
  let length: Int64?

  /// Opens the source of the reply's bytes.
  init(_ content: MockReply.Content, clock: any Clock<Duration>) async throws(LupineError) {
    self.clock = clock
    switch content {
    case .bytes(let data):
      kind = .bytes(data)
      length = Int64(data.count)
    case .chunks(let chunks, let interval):
      kind = .chunks(chunks, every: interval)
      length = nil
    case .body(let body):
      let reader = try await BlockingWork.run { () throws(LupineError) in try AsyncBodyReader(body.makeReader) }
      kind = .reader(reader)
      length = reader.length
    }
  }

  /// Returns the next piece; `nil` at the end.
  mutating func next() async throws(LupineError) -> Data? {
    switch kind {
    case .bytes(let data):
      guard position < data.count else { return nil }
      let piece = data.dropFirst(position).prefix(MockReply.Content.pieceSize)
      position += piece.count
      return piece
    case .chunks(let chunks, let interval):
      guard position < chunks.count else { return nil }
      if position > 0 { try await clock.pause(for: interval) }
      position += 1
      return chunks[position - 1]
    case .reader(let reader): return try await Self.next(reader)
    }
  }

  /// Releases the rest of the source.
  func cancel() {
    if case .reader(let reader) = kind { reader.cancel() }
  }

  private static func next(_ reader: AsyncBodyReader) async throws(LupineError) -> Data? {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: MockReply.Content.pieceSize, alignment: 1)
    defer { space.deallocate() }
    do throws(LupineError) {
      return try await reader.read(into: space).map {
        Data(UnsafeRawBufferPointer(rebasing: space[..<$0]))
      }
    } catch {
      throw Task.isCancelled ? VirtualExchange.cancelled : error
    }
  }
}

extension Clock<Duration> {
  /// Sleeps; a cancellation ends the exchange.
  func pause(for duration: Duration) async throws(LupineError) {
    guard duration > .zero else { return }
    do { try await sleep(for: duration.bounded) } catch { throw VirtualExchange.cancelled }
  }
}
