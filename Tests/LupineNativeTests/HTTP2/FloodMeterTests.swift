import LupineCore
import PeerSupport
import Testing

@testable import LupineNative

/// Floods, counted in frames and bytes, without a connection and a clock.
@Suite struct FloodMeterTests {
  typealias Frame = HTTP2Peer.Frame

  static let floods: [(name: String, frame: Frame)] = [
    ("PING", Frame(type: 6, payload: [UInt8](repeating: 1, count: 8))),
    ("acknowledged PING", Frame(type: 6, flags: 1, payload: [UInt8](repeating: 1, count: 8))),
    ("SETTINGS", Frame(type: 4)),
    ("empty DATA", Frame(type: 0, stream: 1)),
    ("DATA of padding", Frame(type: 0, flags: 8, stream: 1, payload: [3, 0, 0, 0])),
    ("window updates of the stream", Frame(type: 8, stream: 1, payload: [0, 0, 0, 1])),
    ("window updates of the connection", Frame(type: 8, payload: [0, 0, 0, 1])),
    ("PRIORITY", Frame(type: 2, stream: 3, payload: [0, 0, 0, 0, 7])),
    ("PRIORITY_UPDATE", Frame(type: 0x10, payload: [0, 0, 0, 1])),
    ("unknown frames", Frame(type: 0xFA, payload: [1, 2, 3])),
    ("RST_STREAM of a closed stream", Frame(type: 3, stream: 3, payload: [0, 0, 0, 8])),
    ("GOAWAY", .goAway(last: 1)),
  ]

  @Test(arguments: floods.indices)
  func `a flood ends the connection, and costs little until then`(index: Int) throws {
    let stage = try SessionStage()
    stage.receive((Frame(type: 4).bytes + Frame.head(1).bytes)[...])
    if Self.floods[index].name.hasPrefix("RST") { try stage.openAnother() }
    let bytes = (0..<500).flatMap { _ in Self.floods[index].frame.bytes }
    var frames = 0
    while stage.session.failure == nil, frames < 100_000 {
      stage.receive(bytes[...])
      frames += 500
    }
    #expect(frames <= 25_000)
    #expect(stage.events.last == "closed malformedResponse")
    #expect(
      stage.session.failure?.message.contains("keeps sending") == true, "\(String(describing: stage.session.failure))")
  }

  @Test func `frames that the peer does not read are limited`() throws {
    let session = try SessionStage()
    session.receive(Frame(type: 4).bytes[...])
    let bytes = (0..<20_000).flatMap { _ in Frame(type: 6, payload: [UInt8](repeating: 1, count: 8)).bytes }
    session.read(bytes[...])
    #expect(session.session.failure?.message.contains("keeps sending") == true)
  }

  @Test func `endless fields of a refused head end the connection`() throws {
    let stage = try SessionStage()
    stage.receive(Frame(type: 4).bytes[...])
    let block = [UInt8](repeating: 0x88, count: 16_000)
    stage.receive(Frame(type: 1, stream: 1, payload: block).bytes[...])
    var count = 0
    while stage.session.failure == nil, count < 1_000 {
      stage.receive(Frame(type: 9, stream: 1, payload: block).bytes[...])
      count += 1
    }
    #expect(count < 100)
  }

  /// Index 62 is the newest entry of the dynamic table (RFC 7541 section 2.3.3).
  @Test func `heads that a few bytes stand for are read one at a time`() throws {
    let status = Frame.block([(":status", "103")])
    let entry: [UInt8] = [0x40, 1, 0x78, 0x7E] + [UInt8](repeating: 0x61, count: 126)
    let stage = try SessionStage()
    stage.receive((Frame(type: 4).bytes + Frame(type: 1, flags: 4, stream: 1, payload: status + entry).bytes)[...])
    let head = Frame(type: 1, flags: 4, stream: 1, payload: status + [UInt8](repeating: 0xBE, count: 900)).bytes
    #expect(stage.read((0..<10).flatMap { _ in head }[...]) == 10)
    #expect(stage.events == [String](repeating: "interim 103", count: 11))
    let small = Frame(type: 1, flags: 4, stream: 1, payload: status).bytes
    #expect(stage.read((0..<10).flatMap { _ in small }[...]) == 1)
    #expect(stage.session.failure == nil)
  }

  @Test func `a body in small frames and frames now and then are no flood`() throws {
    let stage = try SessionStage()
    stage.receive((Frame(type: 4).bytes + Frame.head(1).bytes)[...])
    let small = (0..<1_000).flatMap { _ in Frame.data(1, "a", ends: false).bytes }
    for _ in 0..<100 { stage.receive(small[...]) }
    #expect(stage.session.failure == nil)
    let ping = (0..<500).flatMap { _ in Frame(type: 6, flags: 1, payload: [UInt8](repeating: 1, count: 8)).bytes }
    for second in 1...200 as ClosedRange<UInt64> { stage.receive(ping[...], at: second * 1_000_000_000) }
    #expect(stage.session.failure == nil)
  }
}
