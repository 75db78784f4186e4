import Testing

@testable import LupineCore

@Suite struct SparePiecesTests {
  private static func piece(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 1_000) }

  private static func address(of bytes: [UInt8]) -> UnsafeRawPointer? { bytes.withUnsafeBytes { $0.baseAddress } }

  /// Adds a piece that no other code keeps to `spares`, and returns the address of its bytes.
  private static func keep(_ byte: UInt8, from spares: inout SparePieces) -> UnsafeRawPointer? {
    let piece = piece(byte)
    spares.keep(piece)
    return address(of: piece)
  }

  @Test func `memory that the consumer is done with is given out again, empty`() throws {
    var spares = SparePieces()
    let address = Self.keep(1, from: &spares)
    spares.reclaim()
    let taken = spares.take()
    let again = try #require(taken)
    #expect(again.isEmpty)
    #expect(again.capacity >= 1_000)
    #expect(Self.address(of: again) == address)
  }

  @Test func `until the consumer asks for more, it has the last piece in hand`() {
    var spares = SparePieces()
    _ = Self.keep(1, from: &spares)
    let taken = spares.take()
    #expect(taken == nil)
  }

  @Test func `a piece that the consumer keeps is not written over`() throws {
    var spares = SparePieces()
    let kept = Self.piece(1)
    spares.keep(kept)
    spares.reclaim()
    let taken = spares.take()
    var again = try #require(taken)
    again.append(contentsOf: Self.piece(2))
    #expect(kept == Self.piece(1))
    #expect(again == Self.piece(2))
  }

  @Test func `a piece that the consumer changes is its own`() {
    var spares = SparePieces()
    var changed = Self.piece(1)
    spares.keep(changed)
    changed[0] = 9
    spares.reclaim()
    let taken = spares.take()
    #expect(taken == [])
    #expect(changed == [9] + Self.piece(1).dropFirst())
  }

  @Test func `at most two pieces are kept for reuse`() {
    var spares = SparePieces()
    for byte in UInt8(0)..<5 {
      spares.keep(Self.piece(byte))
      spares.reclaim()
    }
    let taken = [spares.take(), spares.take(), spares.take()]
    #expect(taken == [[], [], nil])
  }

  @Test func `at the end nothing is kept`() {
    var spares = SparePieces()
    _ = Self.keep(1, from: &spares)
    spares.reclaim()
    spares.close()
    _ = Self.keep(2, from: &spares)
    spares.reclaim()
    let taken = spares.take()
    #expect(taken == nil)
  }
}
