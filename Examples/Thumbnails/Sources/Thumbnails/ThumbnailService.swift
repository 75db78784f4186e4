import Hummingbird
import Lupine
import LupineImage
import NIOCore

/// Answers `GET /thumbnail?url=…&size=…` with a WebP file of the picture at that URL; `&shape=square` cuts a square out.
struct ThumbnailService {
  let downloader: ImageDownloader

  /// - Parameter builder: the builder of the session for the pictures. A service for the Internet adds
  ///   `.networkPolicy(.publicInternetOnly)`, because its users choose the URLs.
  init(_ builder: Session.Builder) throws {
    var configuration = ImageDownloader.Configuration()
    configuration.maximumDownloads = 8
    configuration.maximumDecodings = 2
    // At most 2 decodings of 16 bytes for each pixel.
    configuration.limits.pixels = 16_000_000
    configuration.reuseInterval = .seconds(300)
    let session = try builder.build()
    downloader = ImageDownloader(
      session: session, cache: ImageCache(capacity: 32 << 20, preferredSize: 16 << 20), configuration: configuration)
  }

  func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("thumbnail") { request, _ in
      guard let url = request.uri.queryParameters["url"] else { return Response(status: .badRequest) }
      let size = request.uri.queryParameters["size"].flatMap { Int($0) } ?? 200
      let isSquare = request.uri.queryParameters["shape"] == "square"
      return await thumbnail(of: String(url), size: min(max(size, 1), 1_000), isSquare: isSquare)
    }
  }

  private func thumbnail(of url: String, size: Int, isSquare: Bool) async -> Response {
    do {
      let filter: ImageFilter =
        isSquare ? .aspectFill(width: size, height: size) : .aspectFit(width: size, height: size)
      let image = try await downloader.image(at: url, filters: [filter])
      let file = try image.encoded(as: .webp(quality: 80))
      return Response(
        status: .ok, headers: [.contentType: "image/webp"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: file)))
    } catch {
      // The user's URL is the cause: another picture or another address may work.
      let message = error.message
      return Response(
        status: .unprocessableContent, headers: [.contentType: "text/plain; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: message)))
    }
  }
}
