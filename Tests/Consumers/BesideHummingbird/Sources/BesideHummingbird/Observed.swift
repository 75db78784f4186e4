import Foundation
import Hummingbird
import Logging
import Lupine
import LupineMock
import LupineObservability
import Metrics
import NIOHTTP1
import Tracing

/// A session that writes logs, metrics and traces, in a program whose server also writes them.
enum Observed {
  static func download() async throws -> URL {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/big.bin", .text("lupine"))

    let observed = try Session.Builder()
      .transport(mock)
      .monitor(.log(Logger(label: "http")))
      .monitor(.metrics())
      .install(.tracing())
      .build()

    let file = try await observed.download("https://example.com/big.bin")
      .downloadProgressBar("big.bin")
      .serializingFile().value
    return file
  }

  /// A handler of Hummingbird with its own log, counter and span around a request of Lupine.
  static func serve(_ request: Request, through session: Session, logger: Logger) async throws -> Response {
    try await withSpan("flower", ofKind: .server) { span in
      span.attributes["method"] = request.method.rawValue
      let answer: DataResponse<String> = await session.request("https://example.com/flower").serializingString()
        .response
      Counter(label: "flowers").increment()
      logger.info("served", metadata: ["status": "\(answer.response?.status.code ?? 0)"])
      let fields: HTTPFields = [.contentType: "text/plain"]
      return Response(status: .ok, headers: fields, body: .init(byteBuffer: .init(string: try answer.result.get())))
    }
  }

  /// Uses types of NIO in the same file.
  static func line(_ head: HTTPRequestHead) -> (HTTPMethod, HTTPHeaders) { (head.method, head.headers) }
}
