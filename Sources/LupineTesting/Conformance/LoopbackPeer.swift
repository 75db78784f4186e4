import HTTPTypes
import LupineCore

/// A peer that performs a script over real connections on this machine.
final class LoopbackPeer: ConformancePeer {
  let url: String
  private let server: ScriptedServer?
  private let faulty: FaultServer?

  init(_ script: PeerScript) throws {
    if let fault = script.fault {
      let faulty = try FaultServer(fault)
      (server, self.faulty, url) = (faulty.server, faulty, faulty.url)
    } else if let frames = script.frames {
      let server = try ScriptedServer(frames: frames)
      (self.server, faulty, url) = (server, nil, server.url)
    } else {
      let server = try ScriptedServer(readsBody: script.readsBody, answersContinue: script.answersContinue) { request in
        script.reply(PeerRequest(request)).onTheWire
      }
      (self.server, faulty, url) = (server, nil, server.url)
    }
  }

  /// The requests; empty for a fault, because it depends on the fault whether the server receives them.
  var requests: [PeerRequest] { faulty == nil ? server?.requests.map(PeerRequest.init) ?? [] : [] }
  var connectionCount: Int? { server?.connectionCount }

  func prepare(for request: OutgoingRequest) {}

  func waitForOpenConnections(_ count: Int) async throws { try await server?.waitForOpenConnections(count) }

  func stop() { server?.stop() }
}

extension PeerRequest {
  init(_ request: ReceivedHTTPRequest) {
    self.init(
      method: request.method.rawValue, target: request.target, fields: request.fields, body: request.body,
      isBodyComplete: request.isBodyComplete, number: request.number, index: request.index)
  }
}

extension PeerReply {
  fileprivate var onTheWire: ScriptedReply {
    switch self {
    case .wire(let reply): reply
    case .end(.reset): .resetBeforeHead
    case .end: .closeBeforeHead
    case .response(let response): response.onTheWire
    }
  }
}

extension PeerResponse {
  fileprivate var onTheWire: ScriptedReply {
    var fields = fields
    switch framing {
    case .length(let length): fields.append("Content-Length", String(length ?? byteCount))
    case .chunked: fields.append("Transfer-Encoding", "chunked")
    case .untilClose, .none: break
    }
    var steps = before.map { step(for: $0) }
    steps += informational.map { .informational(status: $0.status, fields: $0.fields) }
    steps.append(.head(status: status, reason: reason, fields: fields))
    steps += body.map { step(for: $0) }
    switch ending {
    case .reset: steps.append(.reset)
    case .close: steps.append(.close)
    case .complete where framing == .chunked: steps.append(.endChunks(trailers: trailers))
    case .complete: break
    }
    return ScriptedReply(steps, connection: framing == .untilClose ? .close : .automatic)
  }

  private func step(for step: Step) -> ScriptedReply.Step {
    switch step {
    case .bytes(let bytes): framing == .chunked ? .chunk(bytes) : .body(bytes)
    case .repeated(let bytes, let count):
      framing == .chunked
        ? .repeat(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10], count: count)
        : .repeat(bytes, count: count)
    case .wait(let gate): .wait(gate)
    case .signal(let gate): .signal(gate)
    }
  }
}
