import FoundationEssentials
import LupineTesting
import PeerSupport
import Synchronization

/// Receives one upload over HTTP/2, and ends streams and connections in turn after some bytes of each content.
///
/// It does not decode the fields of requests: one without content asks for the offset, or is the first and creates the
/// upload. Bytes from another offset than the server's show in what it has received.
final class CuttingFrameServer: CuttingPeer {
  private typealias Frame = HTTP2Peer.Frame

  private struct State {
    var cuts: [Int]
    var data = Data()
    var isCreated = false
    var isComplete = false
    /// The stream whose content arrives, the number of its bytes, and the number after which it is cut.
    var running: (stream: UInt32, count: Int, cut: Int?)?
    /// Whether the client must receive the location before its content is cut.
    var awaitsLocation = false
    /// Streams that the server has ended.
    var ended: Set<UInt32> = []
    var faults: [String] = []
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
      onHead: { stream in state.value.withLock { Self.place(on: stream, &$0) } },
      onFrame: { [located] frame in
        if frame.type == 1 { state.value.withLock { _ = $0.ended.remove(frame.stream) } }
        guard frame.type == 0, !frame.payload.isEmpty else { return [] }
        if state.value.withLock({ $0.awaitsLocation }) { try? located.blockUntilOpen() }
        return state.value.withLock { Self.take(frame, endsConnections, &$0) }
      },
      script: { stream, _ in state.value.withLock { Self.answer(stream, length, &$0) } })
  }

  var url: String { "\(peer.url)files" }
  var faults: [String] { state.value.withLock { $0.faults } }
  var received: Data { state.value.withLock { $0.data } }
  var offset: Int { state.value.withLock { $0.data.count } }

  func stop() { peer.stop() }

  /// Names the location in an interim response to the first request that has content.
  private static func place(on stream: UInt32, _ state: inout State) -> [HTTP2Peer.Step] {
    guard !state.isCreated else { return [] }
    state.awaitsLocation = true
    let fields = [("location", "/uploads/1"), ("upload-draft-interop-version", "8")]
    return [.send(.head(stream, status: 104, fields))]
  }

  private static func take(_ frame: Frame, _ endsConnections: Bool, _ state: inout State) -> [HTTP2Peer.Step] {
    guard !state.ended.contains(frame.stream) else { return [] }
    state.isCreated = true
    state.awaitsLocation = false
    if state.isComplete { state.faults.append("Content for an upload that is complete") }
    var running = state.running ?? (frame.stream, 0, state.cuts.popLast())
    let taken = min(frame.payload.count, running.cut.map { $0 - running.count } ?? .max)
    state.data += frame.payload.prefix(taken)
    running.count += taken
    guard running.count == running.cut else {
      state.running = running
      return []
    }
    state.running = nil
    state.ended.insert(frame.stream)
    return endsConnections ? [.close] : [.send(.reset(frame.stream, code: 2))]
  }

  private static func answer(_ stream: UInt32, _ length: Int, _ state: inout State) -> [HTTP2Peer.Step] {
    guard !state.ended.contains(stream) else { return [] }
    if state.running?.stream == stream {
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
