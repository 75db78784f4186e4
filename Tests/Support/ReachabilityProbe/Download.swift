import HTTPTypes
import LupineCore
import LupineSession
import LupineCurl
import LupineNative
import LupineReachability
import LupineTransfers

extension Probe {
  /// Downloads a file with a session that waits while the network is unavailable and then resumes the download.
  ///
  /// Arguments: the URL, the path of the file, and `native` for the native transport in the place of libcurl.
  @Sendable static func download(_ arguments: [String]) async throws {
    let isNative = arguments.count == 3 && arguments[2] == "native"
    guard arguments.count == 2 || isNative else { throw ProbeError("usage: download URL FILE [native]") }
    let transport: any Transport = isNative ? NativeTransport() : CurlTransport()
    let session = try Session.Builder()
      .transport(transport)
      .timeouts(connect: .seconds(2), idle: .seconds(2))
      .clock(AnnouncingClock())
      .retrier(.offline(waitingUpTo: .seconds(60)))
      .monitor(.custom(report))
      .build()
    let download = session.download(arguments[0], to: .file(arguments[1]))
    download.downloadProgress { say("received \($0.completed)") }
    _ = try await download.serializingFile().value
    say("done")
  }

  @Sendable private static func report(_ event: SessionEvent) {
    switch event.kind {
    case .head(let head): say("head \(head.status.code) attempt \(event.attempt)")
    case .failed(let error): say("failed \(error.kind)")
    case .retrying(let delay?, _): say("retrying after \(delay)")
    default: break
    }
  }
}
