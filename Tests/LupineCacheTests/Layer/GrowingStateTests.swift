import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Testing

@testable import LupineCache

/// Tests orders of events that only several threads can produce.
@Suite struct GrowingStateTests {
  private final class Writer: ReadableResponseStoreWriter {
    func read(_ range: Range<Int64>) async throws(LupineError) -> [UInt8] { [] }
    func append(_ bytes: Data) async throws(LupineError) {}
    func commit(trailers: HTTPFields?) async throws(LupineError) -> StoredResponse? { nil }
    func abort() async {}
  }

  private var state = GrowingState()
  private let reader: Int

  init() {
    state.writer = Writer()
    state.count = 4
    reader = Self.addReader(to: &state)
  }

  private static func addReader(to state: inout GrowingState) -> Int {
    guard let reader = state.addReader(Signal(), false) else { preconditionFailure("a new response has no reader") }
    return reader
  }

  /// Whether a new request may read the response.
  private mutating func admitsReader() -> Bool { state.addReader(Signal(), true) != nil }

  @Test mutating func `an answer begins only if it is known that the rest arrives`() {
    #expect(state.isReadable(false) == true)
    #expect(state.isReadable(true) == nil)
    #expect(state.beginDetaching() == true)
    #expect(state.isReadable(true) == nil)
    #expect(state.endDetaching(true) == false)
    #expect(state.isReadable(true) == true)
    state.interruptRest()
    #expect(state.isReadable(true) == nil)
    #expect(state.resume() == true)
    #expect(state.isReadable(true) == true)
  }

  @Test mutating func `a transfer that cannot be detached has broken off`() {
    #expect(state.beginDetaching() == true)
    state.interrupt()
    #expect(state.endDetaching(false) == false)
    #expect(state.isReadable(true) == nil)
    #expect(state.beginDetaching() == false)
  }

  @Test mutating func `a rest that breaks off while the transfer is being detached does not arrive`() {
    #expect(state.beginDetaching() == true)
    state.interruptRest()
    #expect(state.endDetaching(true) == false)
    #expect(state.isReadable(true) == nil)
  }

  @Test mutating func `the transfer is cancelled if its last reader leaves while it is detached`() {
    #expect(state.beginDetaching() == true)
    #expect(state.removeReader(reader) == false)
    #expect(state.endDetaching(true) == true)
    #expect(admitsReader() == false)
  }

  @Test mutating func `the transfer is cancelled if its last reader leaves afterwards`() {
    let other = Self.addReader(to: &state)
    #expect(state.beginDetaching() == true)
    #expect(state.endDetaching(true) == false)
    #expect(state.removeReader(other) == false)
    #expect(state.removeReader(reader) == true)
    #expect(admitsReader() == false)
  }

  @Test mutating func `the rest from another request is given up when its last reader leaves`() {
    state.interrupt()
    #expect(state.resume() == true)
    #expect(admitsReader() == true)
    for reader in Array(state.readers.keys) { #expect(state.removeReader(reader) == false) }
    #expect(admitsReader() == false)
    #expect(state.resume() == false)
    #expect(admitsReader() == false)
  }

  @Test mutating func `nothing is detached without a reader, a writer or bytes to come`() {
    var complete = state
    complete.end = .complete(nil)
    #expect(complete.beginDetaching() == false)
    var unreadable = state
    unreadable.writer = nil
    #expect(unreadable.beginDetaching() == false)
    #expect(state.removeReader(reader) == false)
    #expect(state.beginDetaching() == false)
  }
}
