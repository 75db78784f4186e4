// Pictures: decoding within limits, filters, a cache and a downloader.

import Lupine
import LupineImage
// snippet.hide
import LupineMock

let mock = MockTransport()
var pixels: [UInt8] = []
for row in 0..<600 {
  for column in 0..<800 { pixels += [UInt8(column / 4), UInt8(row / 3), 128, 255] }
}
let photograph = try Image(width: 800, height: 600, pixels: pixels)
for path in ["lupine.jpeg", "portrait.jpeg", "list/1.jpeg", "list/2.jpeg"] {
  mock.stub(
    .get, "/\(path)",
    .data(try photograph.encoded(as: .jpeg(quality: 85)), contentType: "image/jpeg").field(.eTag, "\"1\""))
}
let session = try Session.Builder().transport(mock).baseURL("https://example.com").build()
// snippet.show

let image = try await session.request("lupine.jpeg").validate().serializingImage().value
print(image.width, image.height, image.bytesPerRow)

session.request("lupine.jpeg").validate().responseImage { response in
  if let image = response.value { print("downloaded \(image)") }
}

let small = try image.applying([.aspectFill(width: 100, height: 100), .roundedCorners(radius: 20)])
let file = try small.encoded(as: .webp(quality: 80))
print(file.count < 10_000)

extension ImageFilter {
  /// Makes the picture grey.
  static var grey: ImageFilter {
    ImageFilter(name: "grey") { image throws(LupineError) in
      var pixels = image.pixels
      for start in stride(from: 0, to: pixels.count, by: 4) {
        let mean = (Int(pixels[start]) + Int(pixels[start + 1]) + Int(pixels[start + 2])) / 3
        for channel in 0..<3 { pixels[start + channel] = UInt8(mean) }
      }
      return try Image(width: image.width, height: image.height, pixels: pixels)
    }
  }
}

let cache = ImageCache(capacity: 100 << 20, preferredSize: 60 << 20)
let key = ImageCache.Key(url: try HTTPURL("https://example.com/avatar"), filters: [.circle])
cache.insert(try image.applying([.circle]), for: key)
let avatar = cache.image(for: key)
print(cache.statistics.hits, avatar?.width ?? 0)

var configuration = ImageDownloader.Configuration()
configuration.maximumDownloads = 4
configuration.maximumDecodings = 2
configuration.order = .lastInFirstOut
let downloader = ImageDownloader(session: session, cache: cache, configuration: configuration)
let portrait = try await downloader.image(
  at: "portrait.jpeg", filters: [.aspectFit(width: 400, height: 400), .grey, .circle], priority: .high)
print(portrait.size)

async let first = downloader.image(at: "list/1.jpeg", filters: [.scaled(width: 80, height: 60)])
async let second = downloader.image(at: "list/2.jpeg", filters: [.scaled(width: 80, height: 60)], priority: .low)
print(try await [first, second].count, downloader.statistics)

var limits = ImageLimits()
limits.pixels = 100_000
do {
  _ = try await session.request("lupine.jpeg").serializingImage(limits: limits).value
} catch {
  if let exceeded = error.underlying as? ImageLimitExceeded { print("the limit \(exceeded.limit) is exceeded") }
}
// snippet.hide
await session.finishRequests()
await session.shutdown()
try mock.verify()
