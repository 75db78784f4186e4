import FoundationEssentials
import LupineTesting
import PeerSupport
import Synchronization

/// Receives one upload over HTTP/2, and ends streams and connections in turn after some bytes of each content.
///
/// It does not decode the fields of requests: one without content asks for the offset, or is the first and creates the
/// upload. Bytes from another offset than the server's show in what it has received.
final class CuttingFrameServer: HoldingPeer {
  private typealias Frame = HTTP2Peer.Frame

  /// A stream of one of the connections: after a cut, what an earlier one has sent may be read late.
  private struct Stream: Hashable {
    let connection: Int
    let number: UInt32

    init(_ frame: Frame) { (connection, number) = (frame.connection, frame.stream) }
  }

  private struct State {
    var cuts: [Int]
    var data = Data()
    var isCreated = false
    var isComplete = false
    /// The stream whose content arrives, the number of its bytes, and the number after which it is cut.
    var running: (stream: Stream, count: Int, cut: Int?)?
    /// Whether the client must receive the location before its content is cut.
    var awaitsLocation = false
    /// Streams that the server has ended.
    var ended: Set<Stream> = []
    var faults: [String] = []
    var hold: UploadHold?
  }

  let located = Gate()
  private let peer: HTTP2Peer
  private let state: Shared

  private final class Shared: Sendable {
    let value: Mutex<State>
    init(_ state: State) { value = Mutex(state) }
  }

  /// - Parameter endsConnections: whether a cut ends the connection, and not the stream alone.
  init(cuts: [Int], length: Int, endsConnections: Bool) throws {
    let state = Shared(State(cuts: cuts))
    self.state = state
    peer = try HTTP2Peer(
      onFrame: { [located] frame in
        let isLast = frame.flags & 1 == 1
        switch frame.type {
        case 0:
          if !frame.payload.isEmpty, state.value.withLock({ $0.awaitsLocation }) { try? located.blockUntilOpen() }
          if let hold = state.value.withLock({ Self.held(frame, length, &$0) }) {
            hold.block()
            return [.close]
          }
          return state.value.withLock { state in
            let steps = Self.take(frame, endsConnections, &state)
            return isLast ? steps + Self.answer(frame, length, &state) : steps
          }
        case 1:
          return state.value.withLock { isLast ? Self.answer(frame, length, &$0) : Self.place(on: frame.stream, &$0) }
        default: return []
        }
      },
      script: { _, _ in [] })
  }

  var url: String { "\(peer.url)files" }
  var faults: [String] { state.value.withLock { $0.faults } }
  var received: Data { state.value.withLock { $0.data } }
  var offset: Int { state.value.withLock { $0.data.count } }

  func hold(_ hold: UploadHold) { state.value.withLock { $0.hold = hold } }
  func stop() { peer.stop() }

  /// Takes content up to the point at which a test holds the upload, and ends its stream; `nil` before that point.
  private static func held(_ frame: Frame, _ length: Int, _ state: inout State) -> UploadHold? {
    guard let hold = state.hold, !state.ended.contains(Stream(frame)) else { return nil }
    let left = hold.point - state.data.count
    guard left <= frame.payload.count else { return nil }
    state.data += frame.payload.prefix(max(0, left))
    state.isCreated = true
    state.awaitsLocation = false
    state.isComplete = state.data.count == length
    state.running = nil
    state.ended.insert(Stream(frame))
    state.hold = nil
    return hold
  }

  /// Names the location in an interim response to the first request that has content.
  private static func place(on stream: UInt32, _ state: inout State) -> [HTTP2Peer.Step] {
    guard !state.isCreated else { return [] }
    state.awaitsLocation = true
    let fields = [("location", "/uploads/1"), ("upload-draft-interop-version", "8")]
    return [.send(.head(stream, status: 104, fields))]
  }

  private static func take(_ frame: Frame, _ endsConnections: Bool, _ state: inout State) -> [HTTP2Peer.Step] {
    guard !frame.payload.isEmpty, !state.ended.contains(Stream(frame)) else { return [] }
    state.isCreated = true
    state.awaitsLocation = false
    if state.isComplete { state.faults.append("Content for an upload that is complete") }
    var running = state.running ?? (Stream(frame), 0, state.cuts.popLast())
    let taken = min(frame.payload.count, running.cut.map { $0 - running.count } ?? .max)
    state.data += frame.payload.prefix(taken)
    running.count += taken
    guard running.count == running.cut else {
      state.running = running
      return []
    }
    state.running = nil
    state.ended.insert(Stream(frame))
    return endsConnections ? [.close] : [.send(.reset(frame.stream, code: 2))]
  }

  /// Answers a request that is complete.
  private static func answer(_ frame: Frame, _ length: Int, _ state: inout State) -> [HTTP2Peer.Step] {
    let stream = frame.stream
    guard !state.ended.contains(Stream(frame)) else { return [] }
    if state.running?.stream == Stream(frame) {
      state.running = nil
      state.isComplete = true
      return [
        .send(.head(stream, [("upload-complete", "?1"), ("content-length", "8")])),
        .send(.data(stream, "complete", ends: true)),
      ]
    }
    guard state.isCreated else {
      state.isCreated = true
      state.awaitsLocation = false
      return [.send(.head(stream, status: 201, [("location", "/uploads/1")], ends: true))]
    }
    let fields = [
      ("upload-offset", "\(state.data.count)"), ("upload-length", "\(length)"),
      ("upload-complete", state.isComplete ? "?1" : "?0"),
    ]
    return [.send(.head(stream, status: 204, fields, ends: true))]
  }
}
