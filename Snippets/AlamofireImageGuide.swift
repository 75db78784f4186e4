// The examples of AlamofireImage's guide, in its order, on a mock with pictures made by code.

import Lupine
import LupineImage
// snippet.hide
import LupineMock

let mock = MockTransport()
var colours: [UInt8] = []
for row in 0..<240 {
  for column in 0..<320 { colours += [UInt8(column / 2), UInt8(row), 128, 255] }
}
let unicorn = try Image(width: 320, height: 240, pixels: colours)
mock.stub(
  .get, "/image/png", .data(try unicorn.encoded(as: .png), contentType: "image/png").field(.eTag, "\"1\""))
mock.stub(
  .get, "/image/jpeg",
  .data(try unicorn.encoded(as: .jpeg(quality: 90)), contentType: "image/jpeg").field(.eTag, "\"1\""))
let session = try Session.Builder().transport(mock).build()
// snippet.show

// Image response serializers.
session.request("https://httpbin.org/image/png").responseImage { response in
  debugPrint(response)
  if let image = response.value { print("image downloaded: \(image)") }
}
let image = try await session.request("https://httpbin.org/image/png").serializingImage().value

// Scaling; inflation is not needed, because an image is decoded when it is made.
let scaled = try image.applying([.scaled(width: 100, height: 100)])
let fitted = try image.applying([.aspectFit(width: 100, height: 100)])
let filled = try image.applying([.aspectFill(width: 100, height: 100)])
print(scaled.size, fitted.size, filled.size)

// Rounded corners.
let rounded = try image.applying([.roundedCorners(radius: 20)])
let circular = try image.applying([.circle])
print(rounded.size, circular.size)

// A filter of the program, where the guide uses one of Core Image.
extension ImageFilter {
  static var sepia: ImageFilter {
    ImageFilter(name: "sepia") { image throws(LupineError) in
      var pixels = image.pixels
      for start in stride(from: 0, to: pixels.count, by: 4) {
        let grey = (Int(pixels[start]) + Int(pixels[start + 1]) + Int(pixels[start + 2])) / 3
        pixels[start] = UInt8(min(255, grey * 5 / 4))
        pixels[start + 1] = UInt8(grey)
        pixels[start + 2] = UInt8(grey * 3 / 4)
      }
      return try Image(width: image.width, height: image.height, pixels: pixels)
    }
  }
}

// A filter of a single pass, and several passes.
print(try ImageFilter.sepia.apply(to: image).size)
let avatar = try image.applying([.aspectFill(width: 100, height: 100), .circle])

// The cache: add, fetch and remove. The key has the URL and the filters, where the guide has an identifier.
let imageCache = ImageCache(capacity: 100_000_000, preferredSize: 60_000_000)
let key = ImageCache.Key(url: try HTTPURL("https://httpbin.org/image/png"), filters: [.circle])
imageCache.insert(avatar, for: key)
print(imageCache.image(for: key) == avatar, imageCache.statistics)
imageCache.remove(key)
// Where the guide has a memory warning.
imageCache.removeAll()

// The downloader.
var configuration = ImageDownloader.Configuration()
configuration.order = .firstInFirstOut
configuration.maximumDownloads = 4
let downloader = ImageDownloader(session: session, cache: imageCache, configuration: configuration)
let downloaded = try await downloader.image(at: "https://httpbin.org/image/jpeg")
let thumbnail = try await downloader.image(
  at: "https://httpbin.org/image/jpeg", filters: [.aspectFill(width: 100, height: 100), .circle])
print(downloaded.size, thumbnail.size)

// Authentication: for one picture, or for all with `Session.Builder.header` or an adapter.
let secret = try await downloader.image(
  at: "https://httpbin.org/image/png", headers: [.authorization(username: "username", password: "password")])
print(secret.size)

// Duplicate downloads and filters: one download, one decoding, and the filters once.
async let first = downloader.image(at: "https://httpbin.org/image/png", filters: [.sepia])
async let second = downloader.image(at: "https://httpbin.org/image/png", filters: [.sepia])
print(try await first == second)

// Instead of a receipt, cancel the task: it receives an error, and the others receive the picture.
let receipt = Task { try await downloader.image(at: "https://httpbin.org/image/jpeg", filters: [.sepia]) }
let other = Task { try await downloader.image(at: "https://httpbin.org/image/jpeg", filters: [.sepia]) }
receipt.cancel()
print(try await other.value.size)
// snippet.hide
guard downloader.statistics.downloads <= 5 else { fatalError("\(downloader.statistics)") }
await session.finishRequests()
await session.shutdown()
try mock.verify()
