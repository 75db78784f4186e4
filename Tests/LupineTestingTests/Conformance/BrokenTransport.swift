import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import LupineTesting

/// A mock with one defect.
struct BrokenTransport: Transport {
  enum Defect: CaseIterable {
    case dropsRepeatedFields, changesMethod, losesBody, hidesStatus, ignoresSink, swallowsErrors, allowsBodies
  }

  let mock = MockTransport()
  let defect: Defect

  static func subject(_ defect: Defect) -> ConformanceSubject {
    ConformanceSubject(
      "The broken transport",
      peer: { transport, script in
        try ConformanceSubject.peer(for: (transport as? BrokenTransport)?.mock ?? transport, playing: script)
      },
      transport: { BrokenTransport(defect: defect) })
  }

  var capabilities: TransportCapabilities { mock.capabilities }

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    do throws(LupineError) {
      return try await broken(request, in: context)
    } catch {
      guard defect == .swallowsErrors else { throw error }
      return TransportResponse(head: HTTPResponse(status: .ok), body: .complete(.init()))
    }
  }

  func shutdown() async { await mock.shutdown() }

  private func broken(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    var request = request
    switch defect {
    case .dropsRepeatedFields:
      for field in request.headers { request.headers[field.name] = field.value }
    case .changesMethod:
      if let method = HTTPRequest.Method(request.method.rawValue.uppercased()) {
        mock.stub([method], "/{any...}", count: .optional) { .text("You sent \($0.method.rawValue).") }
        request.method = method
      }
    case .allowsBodies: request.options.allowsBodyWithGET = true
    case .losesBody, .hidesStatus, .ignoresSink, .swallowsErrors: break
    }
    let ignored = TransferContext(
      id: context.id, control: context.control,
      sink: { _ in .collect(limit: .max) })
    var response = try await mock.send(request, in: defect == .ignoresSink ? ignored : context)
    if defect == .losesBody { response.body = .complete(.init()) }
    if defect == .hidesStatus { response.head.status = .ok }
    return response
  }
}

/// A transport that returns no response, and throws when the exchange is cancelled.
struct IdleTransport: Transport {
  let called: Gate

  var capabilities: TransportCapabilities { [] }

  func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    let ended = Gate()
    context.onCancel { ended.open() }
    called.open()
    try? await ended.opened()
    throw LupineError(.cancelled, "The idle transport was cancelled.")
  }

  func shutdown() async {}
}
