import FoundationEssentials
import HTTPTypes
import LupineCore

extension ExchangeLoop {
  /// How the body ended; a page that nobody wants, and that is longer than such a page may be, counts as none, so that its
  /// status is what the request ends with.
  func end(of response: TransportResponse) async throws(LupineError) -> BodyEnd {
    do throws(LupineError) {
      return try await response.body.end()
    } catch {
      guard Self.isTooLong(error.kind), task.consumer?.canSpareBody(of: response.head) == true else { throw error }
      task.consumer?.spared(response.body.gathered(limit: configuration.limits.errorBody))
      let metrics = error.metrics ?? TransferMetrics()
      return BodyEnd(data: Data(), byteCount: metrics.bytesReceived, trailers: nil, metrics: metrics)
    }
  }

  private static func isTooLong(_ kind: LupineError.Kind) -> Bool {
    switch kind {
    case .limitExceeded(.responseBody), .limitExceeded(.decodedBodySize), .limitExceeded(.decodingRatio): true
    default: false
    }
  }
}
