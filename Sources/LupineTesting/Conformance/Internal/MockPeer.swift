import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Synchronization

/// A peer that performs a script with the stubs of a mock, which is the transport under check.
final class MockPeer: ConformancePeer {
  let url = "http://127.0.0.1:80"
  private let mock: MockTransport
  private let script: PeerScript
  private let stubbed = Mutex<Set<HTTPRequest.Method>>([])
  private let record = Mutex<[PeerRequest]>([])

  init(_ mock: MockTransport, _ script: PeerScript) {
    self.mock = mock
    self.script = script
  }

  var requests: [PeerRequest] { record.withLock { $0 } }
  var connectionCount: Int? { nil }

  /// Adds a stub for the request's method, because a stub must name its method.
  ///
  /// The stub is added under the lock, so that no concurrent request with the same method is sent before the stub
  /// exists.
  func prepare(for request: OutgoingRequest) {
    stubbed.withLock { methods in
      if methods.insert(request.method).inserted { stub(request.method) }
    }
  }

  private func stub(_ method: HTTPRequest.Method) {
    if let fault = script.fault {
      mock.stub(
        [method], "/{any...}", count: .optional, MockReply.data(Data("hello".utf8), contentType: nil).fault(fault))
    } else if script.holdsHead {
      mock.stub([method], "/{any...}", count: .optional) { [self] request async throws in
        let reply = answer(request)
        if case .response(let response) = reply { try await response.holdHead() }
        return reply.inMemory
      }
    } else {
      // The mock answers a synchronous closure on its fastest path.
      mock.stub([method], "/{any...}", count: .optional, reading: script.readsBody ? .whole : .first(bytes: 0)) {
        [self] request in answer(request).inMemory
      }
    }
  }

  func waitForOpenConnections(_ count: Int) async throws {}

  func stop() {}

  private func answer(_ request: RecordedRequest) -> PeerReply {
    let seen = record.withLock { record in
      let seen = PeerRequest(
        method: request.method.rawValue, target: request.url.requestTarget, fields: RawFields(request.headers),
        body: [UInt8](request.body), isBodyComplete: request.isBodyComplete, number: record.count)
      record.append(seen)
      return seen
    }
    return script.reply(seen)
  }
}

extension PeerReply {
  fileprivate var inMemory: MockReply {
    switch self {
    case .response(let response): response.inMemory
    case .end, .wire: .reset
    }
  }
}
