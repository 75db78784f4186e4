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
    // The gallery is on loopback, which `.publicInternetOnly` refuses.
    let service = try ThumbnailService(Session.Builder().standardDefaults())
    let router = Router()
    service.addRoutes(to: router)
    let port = try await serve(router)
    let before = try peak()

    let names = (0..<1_000).map { "\($0 % Gallery.pictures)" }
    let hostile = ["huge", "long", "text", "cut", "scans", "missing"]
    let user = try Session.Builder().standardDefaults().build()
    let statuses = await withTaskGroup(of: (String, Int?).self) { group in
      for name in names + hostile {
        let url = "http://127.0.0.1:\(port)/thumbnail"
        let picture = "http://127.0.0.1:\(galleryPort)/pictures/\(name)"
        group.addTask {
          let response = await user.request(url, parameters: ["url": .string(picture)]).serializingData().response
          return (name, response.response?.status.code)
        }
      }
      var statuses: [String: [Int]] = [:]
      for await (name, status) in group { statuses[name, default: []].append(status ?? 0) }
      return statuses
    }
    for name in Set(names) { try expect(statuses[name], Array(repeating: 200, count: 50), "the answers for \(name)") }
    for name in hostile { try expect(statuses[name], [422], "the answer for \(name)") }
    for name in Set(names) { try expect(gallery.requests[name], 1, "the requests for \(name)") }
    let statistics = service.downloader.statistics
    // The decoder reads the hostile files that are not refused at their heads.
    try expect(statistics.decodings, Gallery.pictures + 4, "the decodings")
    try await checkLine(user, "http://127.0.0.1:\(port)/thumbnail", galleryPort)
    try await checkPicture(user, "http://127.0.0.1:\(port)/thumbnail", galleryPort)
    let growth = try peak() - before
    // 8 files of at most 32 MiB, of which none is so long, 2 decodings, the cache, and the answers under way.
    if growth > 256 << 20 { throw Surprise(what: "the memory grew by \(growth >> 20) MiB") }
    print(
      "1,000 requests: \(statistics.downloads) downloads, \(statistics.decodings) decodings, \(growth >> 20) MiB more")
    await user.shutdown()
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

  /// Checks a picture that would be 3,276,800 pixels wide if it was scaled before it is cropped.
  private static func checkLine(_ user: Session, _ url: String, _ galleryPort: Int) async throws {
    let picture = "http://127.0.0.1:\(galleryPort)/pictures/line"
    let image = try await user.request(url, parameters: ["url": .string(picture), "shape": "square"])
      .serializingImage().value
    try expect(image.size, ImageSize(width: 200, height: 200), "the size of the square")
  }

  private static func checkPicture(_ user: Session, _ url: String, _ galleryPort: Int) async throws {
    let picture = "http://127.0.0.1:\(galleryPort)/pictures/3"
    let image = try await user.request(url, parameters: ["url": .string(picture), "size": 100]).serializingImage().value
    try expect(image.size, ImageSize(width: 100, height: 75), "the size of a thumbnail")
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

  private static func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
    if value != expected { throw Surprise(what: "\(what): \(value) instead of \(expected)") }
  }

  /// The peak of the resident memory in bytes.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1_024
  }
}
