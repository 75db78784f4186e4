import HTTPTypes
import Testing

@testable import LupineCore

/// A branch that supplies the response of a parent, with an observer of its body.
struct DetachedStage: Sendable {
  static let reason = LupineError(.cancelled, "The request was cancelled.")

  let parent = ExchangeControl()
  let branch: ExchangeControl
  let recorder: BodyRecorder
  let body: ResponseBody
  let writer: ResponseBodyWriter
  let resumed = Notes<Void>()

  /// - Parameter isNested: whether the body belongs to a branch of the branch, as with hedging.
  init(isNested: Bool = false, recorder: BodyRecorder = BodyRecorder()) {
    branch = parent.branch()
    self.recorder = recorder
    let carrier = isNested ? branch.branch() : branch
    let resumed = resumed
    let exchange = carrier.beginBody { resumed.add(()) }
    body = ResponseBody(exchange: exchange)
    writer = ResponseBodyWriter(exchange: exchange)
    if isNested { carrier.choose() }
    branch.choose()
    body.tee(into: recorder)
  }

  func write(_ bytes: some Sequence<UInt8>) throws -> ResponseBodyWriter.Flow {
    try Array(bytes).withUnsafeBytes { bytes throws(LupineError) in try writer.write(bytes) }
  }

  func finish() { writer.finish(trailers: [.server: "t"], metrics: TransferMetrics()) }

  /// Reads the rest of a body, which must end well.
  static func read(_ rest: ResponseBody) async throws -> [UInt8] {
    rest.open(.stream(window: 4))
    var bytes: [UInt8] = []
    while let piece = try await rest.next() { bytes += piece }
    #expect(try await rest.end().trailers?[.server] == "t")
    return bytes
  }
}
