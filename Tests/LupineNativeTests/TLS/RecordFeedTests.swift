import LupineCore
import LupineEventLoop
import Testing

@testable import LupineNative

/// The bytes of records, each in one piece, in two at every place, and byte by byte.
@Suite struct RecordFeedTests {
  /// A channel that receives these pieces and then nothing.
  private final class Pieces: Channel {
    var pieces: ArraySlice<[UInt8]>

    init(_ pieces: [[UInt8]]) { self.pieces = pieces[...] }

    func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult { .bytes(bytes.count) }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
      guard let piece = pieces.popFirst() else { return .wouldBlock }
      buffer.copyBytes(from: piece.prefix(buffer.count))
      if piece.count > buffer.count { pieces = [Array(piece.dropFirst(buffer.count))] + pieces }
      return .bytes(min(piece.count, buffer.count))
    }

    var holdsInput: Bool { false }
    var work: Int { 0 }
    var isQuiet: Bool { pieces.isEmpty }
    var failure: LupineError? { nil }
    func close() {}
  }

  /// Reads everything from a feed, at most `limit` bytes at once, and returns the bytes of each record.
  private func records(_ pieces: [[UInt8]], limit: Int) -> [[UInt8]] {
    let channel = Pieces(pieces)
    var feed = RecordFeed()
    var records: [[UInt8]] = []
    while true {
      let piece = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        count = feed.take(into: UnsafeMutableRawBufferPointer(buffer))
      }
      if !piece.isEmpty {
        records[records.count - 1] += piece
      } else if feed.beginRecord() {
        records.append([])
      } else if case .wouldBlock = feed.fill(from: channel) {
        return records
      }
    }
  }

  /// A record with this number of bytes of content, each equal to its type.
  private static func record(_ type: UInt8, _ size: Int) -> [UInt8] {
    [type, 3, 3, UInt8(size >> 8), UInt8(size & 0xFF)] + [UInt8](repeating: type, count: size)
  }

  private static let small = [record(22, 7), record(20, 1), record(23, 0), record(23, 1), record(21, 2)]

  @Test func `records pass one by one, however their bytes arrive`() {
    let bytes = Array(Self.small.joined())
    let cuts = [[bytes]] + bytes.indices.dropFirst().map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    for pieces in cuts + [bytes.map { [$0] }] {
      for limit in [1, 3, 5, 64] { #expect(records(pieces, limit: limit) == Self.small) }
    }
  }

  @Test func `a record may be larger than the bytes that one call receives`() {
    let large = [Self.record(23, 0xFFFF), Self.record(22, 16_384), Self.record(23, 16_384)]
    #expect(records([Array(large.joined())], limit: 16_384) == large)
    #expect(records(large.flatMap { [Array($0[..<4]), Array($0[4...])] }, limit: 1 << 20) == large)
  }

  @Test func `a part of a header is kept until the rest arrives`() {
    for count in 0..<5 { #expect(records([Array(Self.small[0].prefix(count))], limit: 64).isEmpty) }
  }
}
