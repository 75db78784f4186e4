import FuzzRunner
import Glibc
import FoundationEssentials
import LupineCore
import LupineImage

/// Checks that each input gives a picture within the limits or an error, and that a picture survives as a PNG.
@main
struct FuzzImageDecoder {
  static func main() {
    exit(runFuzzer(testImageDecoder))
  }
}

/// Small limits, so that the fuzzer spends its time on the headers.
private let limits: ImageLimits = {
  var limits = ImageLimits()
  limits.pixels = 1 << 16
  limits.scannedPixels = 1 << 20
  limits.chunk = 1 << 16
  return limits
}()

private func check(_ file: Data) {
  guard let image = try? Image(decoding: file, limits: limits) else { return }
  precondition(image.width * image.height <= limits.pixels, "The picture exceeds the limit: \(image)")
  precondition(image.pixels.count == image.bytesPerRow * image.height, "The picture has no pixels: \(image)")
  guard let copy = try? Image(decoding: image.encoded(as: .png), limits: limits) else {
    preconditionFailure("The picture cannot be written as PNG: \(image)")
  }
  precondition(copy == image, "The picture differs from its PNG: \(image)")
  let filters: [ImageFilter] = [.aspectFill(width: 5, height: 7), .roundedCorners(radius: 2)]
  guard let small = try? image.applying(filters) else { preconditionFailure("The filters fail: \(image)") }
  precondition((small.width, small.height) == (5, 7), "The filters make another size: \(small)")
  checkFilters(file, image)
}

/// Decodes the file once more for filters, of which the first makes a JPEG be decoded at a smaller size.
private func checkFilters(_ file: Data, _ image: Image) {
  let fit = ImageFilter.aspectFit(width: 20, height: 20)
  guard let fitted = try? Image(decoding: file, filters: [fit, .circle], limits: limits) else {
    preconditionFailure("The picture cannot be decoded for filters: \(image)")
  }
  precondition(fitted.width == fitted.height && fitted.width <= 20, "The circle has another size: \(fitted)")
  guard let expected = try? image.applying([fit, .circle]) else { preconditionFailure("The filters fail: \(image)") }
  // The sides of a smaller JPEG are rounded.
  precondition(abs(fitted.width - expected.width) <= 1, "The decoding changes the size: \(fitted), \(expected)")
  guard let circle = try? Image(decoding: file, filters: [.circle], limits: limits) else {
    preconditionFailure("The picture cannot be decoded for a circle: \(image)")
  }
  precondition(circle.width == min(image.width, image.height), "The circle has another size: \(circle)")
}

private func testImageDecoder(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check(Data(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
