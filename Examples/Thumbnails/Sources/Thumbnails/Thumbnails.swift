import Foundation
import Hummingbird
import Logging
import Lupine
import LupineImage

/// Runs the service beside a gallery, and checks what 1,000 requests of users cost; `Thumbnails serve` runs it for the
/// Internet, on port 8080 of loopback.
@main struct Thumbnails {
  struct Surprise: Error {
    let what: String
  }

  static func main() async throws {
    if CommandLine.arguments.dropFirst().first == "serve" { return try await serveInternet() }
    let gallery = try Gallery()
    let galleryRouter = Router()
    gallery.addRoutes(to: galleryRouter)
    let galleryPort = try await serve(galleryRouter)
    // The gallery is on loopback, which `.publicInternetOnly` refuses. It stalls until the check ends the stall.
    let service = try ThumbnailService(Session.Builder().standardDefaults().timeouts(idle: nil))
    let router = Router()
    service.addRoutes(to: router)
    let check = Check(
      user: try Session.Builder().standardDefaults().timeouts(idle: nil).build(), gallery: gallery,
      service: "http://127.0.0.1:\(try await serve(router))/thumbnail",
      pictures: "http://127.0.0.1:\(galleryPort)/pictures")
    let before = try peak()
    try await check.run(service.downloader)
    let growth = try peak() - before
    // 8 files of at most 32 MiB, of which none is so long, 2 decodings, the cache, and the answers under way.
    if growth > 256 << 20 { throw Surprise(what: "the memory grew by \(growth >> 20) MiB") }
    let statistics = service.downloader.statistics
    print(
      "1,000 requests: \(statistics.downloads) downloads, \(statistics.decodings) decodings, \(growth >> 20) MiB more")
    await check.user.shutdown()
    exit(0)
  }

  /// Runs the service for users who name any URL: the session connects to no address of a private network.
  private static func serveInternet() async throws {
    let service = try ThumbnailService(Session.Builder().standardDefaults().networkPolicy(.publicInternetOnly))
    let router = Router()
    service.addRoutes(to: router)
    let app = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8_080)))
    try await app.run()
  }

  /// Starts a server on a free port of loopback, and returns the port.
  private static func serve(_ router: Router<BasicRequestContext>) async throws -> Int {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "thumbnails")
    logger.logLevel = .warning
    let app = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    Task { try await app.run() }
    for await port in ports { return port }
    throw Surprise(what: "the server did not start")
  }

  /// The peak of the resident memory in bytes.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1_024
  }
}
