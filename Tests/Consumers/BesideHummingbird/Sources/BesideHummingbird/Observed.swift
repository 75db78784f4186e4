import Foundation
import Logging
import Lupine
import LupineMock
import LupineObservability

/// A session that writes logs, metrics and traces, in a program whose server does as well.
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
}
