import HTTPTypes
import LupineCore

/// An exchange whose head has arrived.
struct StagedExchange: Sendable {
  let stage: ConformanceStage
  let name: String
  let head: HTTPResponse
  let body: ResponseBody
  let source: TransportResponse.Source
  let log: ExchangeRecord

  /// Waits for the end of the body, and adds the exchange to the transcript.
  func end() async throws(LupineError) -> BodyEnd {
    let interim = log.informational.map { "after \(Normal.text($0)) " }.joined()
    let title = "\(name) brought \(interim)\(Normal.text(head))"
    do throws(LupineError) {
      let end = try await body.end()
      stage.note("\(title) \(Normal.text(end))")
      return end
    } catch {
      stage.note("\(title) and failed: \(error.kind)")
      throw error
    }
  }

  /// Reads all pieces of a streamed body.
  func takeAll() async throws(LupineError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await body.next() { bytes += piece }
    return bytes
  }
}
