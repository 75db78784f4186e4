package import LupineCore
package import LupineTesting
import Synchronization

/// The error of a stream that fails.
package struct Oops: Error {
  package init() {}
}

/// A stream of a body's pieces, with an optional error at the end.
package struct Pieces: AsyncSequence, Sendable {
  private let pieces: [[UInt8]]
  private let failure: Oops?

  package init(_ pieces: [[UInt8]], failure: Oops? = nil) {
    self.pieces = pieces
    self.failure = failure
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>
    let failure: Oops?

    package mutating func next() async throws -> [UInt8]? {
      if rest.isEmpty, let failure { throw failure }
      return rest.popFirst()
    }
  }

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...], failure: failure) }
}

/// A stream of pieces that waits for a gate before its last pieces.
package struct GatedPieces: AsyncSequence, Sendable {
  private let before: [[UInt8]]
  private let gate: Gate
  private let after: [[UInt8]]

  package init(_ before: [[UInt8]], _ gate: Gate, _ after: [[UInt8]]) {
    self.before = before
    self.gate = gate
    self.after = after
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    var before: ArraySlice<[UInt8]>
    let gate: Gate
    var after: ArraySlice<[UInt8]>

    package mutating func next() async throws -> [UInt8]? {
      if let piece = before.popFirst() { return piece }
      try await gate.opened()
      return after.popFirst()
    }
  }

  package func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(before: before[...], gate: gate, after: after[...])
  }
}

/// A reader whose stated length may differ from the number of bytes that it yields.
package final class FixedReader: BodyReader {
  package let length: Int64?
  private let left: Mutex<Int>

  package init(length: Int64?, yields count: Int) {
    self.length = length
    left = Mutex(count)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    left.withLock { left in
      let count = min(left, buffer.count)
      guard count > 0 else { return .end }
      for index in 0..<count { buffer[index] = 0x61 }
      left -= count
      return .bytes(count)
    }
  }

  package func cancel() {}
}
