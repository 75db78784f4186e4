import FoundationEssentials
import LupineCore
import LupineResumableUpload
import LupineTesting
import Synchronization

/// A server that receives one upload and cuts it.
protocol CuttingPeer: Sendable {
  /// Opened by the test when the client has received the location in an interim response.
  var located: Gate { get }
  var url: String { get }
  /// The bytes that the server has taken, in their order.
  var received: Data { get }
  /// The number of bytes that the server has taken.
  var offset: Int { get }
  /// The faults of the client.
  var faults: [String] { get }

  func stop()
}

/// Receives one upload, and resets connections: after some bytes of each content, and before it uses some requests.
final class CuttingServer: CuttingPeer {
  private struct State {
    let length: Int
    let dialect: UploadDialect
    var cuts: [Int]
    /// The numbers of the requests whose connection is reset before the server uses them.
    let resets: Set<Int>
    var count = 0
    /// The number of each request with content, and how many of its bytes the server has taken.
    var taken: [(request: Int, count: Int)] = []
    var isComplete = false
    var faults: [String] = []

    var offset: Int { taken.reduce(0) { $0 + $1.count } }
  }

  /// Open when the client has received the location.
  let located = Gate()
  private let server: ScriptedServer
  private let state: Shared

  private final class Shared: Sendable {
    let value: Mutex<State>
    init(_ state: State) { value = Mutex(state) }
  }

  init(cuts: [Int], length: Int, resets: Set<Int> = [], dialect: UploadDialect = .draft(8)) throws {
    let state = Shared(State(length: length, dialect: dialect, cuts: cuts, resets: resets))
    self.state = state
    server = try ScriptedServer(readsBody: false) { [located] request in
      state.value.withLock { Self.reply(to: request, located, &$0) }
    }
  }

  var url: String { "\(server.url)/files" }
  var faults: [String] {
    state.value.withLock { $0.faults } + server.problems.map(\.reason).filter { !$0.contains("ended") }
  }

  /// The number of bytes that the server has taken.
  var offset: Int { state.value.withLock { $0.offset } }

  /// The bytes that the server has taken, in their order.
  var received: Data {
    let requests = server.requests
    return state.value.withLock { state in
      state.taken.reduce(into: Data()) { $0 += requests[$1.request].body.prefix($1.count) }
    }
  }

  func stop() { server.stop() }

  private static func reply(
    to request: ReceivedHTTPRequest, _ located: Gate, _ state: inout State
  ) -> ScriptedReply {
    defer { state.count += 1 }
    if state.resets.contains(state.count) { return [.reset] }
    var place: RawFields = ["Location": "/uploads/1"]
    if state.dialect == .draft(8) { place.append("Upload-Draft-Interop-Version", "8") }
    let length = state.length
    switch request.method {
    case .head:
      return .respond(
        status: 204,
        fields: [
          "Upload-Offset": "\(state.offset)", "Upload-Complete": state.isComplete ? "?1" : "?0",
          "Upload-Length": "\(length)",
        ])
    case .post where request.fields["Upload-Complete"] == "?0" || state.dialect == .tus:
      return [.readBody, .head(status: 201, fields: ["Location": "/uploads/1", "Content-Length": "0"])]
    case .post:
      let reply = content(of: request, &state)
      return reply.preceded(by: .informational(status: 104, fields: place), .wait(located))
    case .patch: return content(of: request, &state)
    default: return .respond(status: 204)
    }
  }

  private static func content(of request: ReceivedHTTPRequest, _ state: inout State) -> ScriptedReply {
    let offset = request.fields["Upload-Offset"].flatMap { Int($0) } ?? 0
    let size = request.fields["Content-Length"].flatMap { Int($0) } ?? 0
    if offset != state.offset || offset + size != state.length || state.isComplete {
      state.faults.append("\(request.method) at \(offset) of \(size) bytes, and the server has \(state.offset)")
    }
    guard let cut = state.cuts.popLast() else {
      state.taken.append((request.number, size))
      state.isComplete = true
      if state.dialect == .tus {
        return [.readBody, .head(status: 204, fields: ["Upload-Offset": "\(state.length)", "Tus-Resumable": "1.0.0"])]
      }
      return [
        .readBody, .head(status: 200, fields: ["Upload-Complete": "?1", "Content-Length": "8"]),
        .body(Array("complete".utf8)),
      ]
    }
    state.taken.append((request.number, cut))
    return cut == 0 ? [.reset] : [.readBody(upTo: cut), .reset]
  }
}
