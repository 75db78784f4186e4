import LupineCore
import LupineFoundation
import LupineImage
import Testing

@Suite struct FilterTests {
  @Test func `each filter has a stable name`() {
    let names: [(ImageFilter, String)] = [
      (.scaled(width: 3, height: 2), "scaled(3×2)"), (.aspectFit(width: 4, height: 4), "aspectFit(4×4)"),
      (.aspectFit(width: 4, height: 4, enlarging: true), "aspectFit(4×4,enlarging)"),
      (.aspectFill(width: 4, height: 5), "aspectFill(4×5)"), (.roundedCorners(radius: 3), "roundedCorners(3)"),
      (.circle, "circle"), (.scaled(width: 0, height: -1), "scaled(1×1)"),
    ]
    for (filter, name) in names { #expect(filter.name == name) }
  }

  @Test(arguments: [(8, 6), (3, 5), (1, 1), (97, 31), (64, 48)])
  func `a picture of one colour stays so at each size`(width: Int, height: Int) throws {
    for colour: [UInt8] in [[10, 200, 99, 255], [255, 255, 255, 255], [100, 50, 25, 128], [0, 0, 0, 0]] {
      let image = try Pictures.solid(64, 48, colour).applying([.scaled(width: width, height: height)])
      let difference = Pictures.difference(image, try Pictures.solid(width, height, colour))
      #expect(difference <= (colour[3] == 128 ? 1 : 0))
    }
  }

  @Test func `a gradient stays a gradient at each size`() throws {
    let image = try Pictures.gradient(120, 80)
    for (width, height) in [(60, 40), (12, 8), (240, 160), (35, 61)] {
      let scaled = try image.applying([.scaled(width: width, height: height)])
      let expected = try Pictures.gradient(width, height)
      #expect(Pictures.difference(scaled, expected) <= 255 / min(width, height) + 3)
    }
  }

  @Test(arguments: [1, 2, 10, 77, 254] as [UInt8])
  func `a translucent picture keeps its colour at each size`(alpha: UInt8) throws {
    let image = try Pictures.solid(64, 48, [200, 99, 1, alpha])
    for (width, height) in [(8, 6), (3, 100), (100, 3), (100, 90)] {
      let scaled = try image.applying([.scaled(width: width, height: height)])
      let expected = try Pictures.solid(width, height, [200, 99, 1, alpha])
      #expect(Pictures.difference(scaled, expected) <= 1)
      #expect(scaled.pixels[3] == alpha)
    }
  }

  @Test func `a picture is scaled the same along both axes`() throws {
    for isOpaque in [true, false] {
      let image = try Pictures.gradient(40, 30, isOpaque: isOpaque)
      var turned: [UInt8] = []
      for column in 0..<40 {
        for row in 0..<30 { turned += image.pixels[(row * 40 + column) * 4..<(row * 40 + column) * 4 + 4] }
      }
      for (width, height) in [(80, 10), (10, 80), (80, 60), (10, 7)] {
        let scaled = try image.applying([.scaled(width: width, height: height)])
        let other = try Image(width: 30, height: 40, pixels: turned).applying([.scaled(width: height, height: width)])
        for column in 0..<width {
          for row in 0..<height {
            for channel in 0..<4 {
              let one = Int(scaled.pixels[(row * width + column) * 4 + channel])
              #expect(abs(one - Int(other.pixels[(column * height + row) * 4 + channel])) <= 1)
            }
          }
        }
      }
    }
  }

  @Test func `a result of more than 64 million pixels is refused`() throws {
    let image = try Pictures.solid(2, 2, [1, 2, 3, 255])
    for filter in [
      ImageFilter.scaled(width: .max, height: .max), .scaled(width: 8_001, height: 8_000),
      .aspectFill(width: 1_000_000, height: 65), .aspectFit(width: .max, height: .max, enlarging: true),
    ] {
      let error = #expect(throws: LupineError.self) { try filter.apply(to: image) }
      #expect(error?.kind == .imageLimitExceeded)
      #expect((error?.underlying as? ImageLimitExceeded)?.limit == .pixels)
      #expect(error?.message.contains(filter.name) == true)
    }
  }

  @Test func `a transparent pixel does not tint its neighbours`() throws {
    let image = try Image(width: 2, height: 1, pixels: [255, 0, 0, 0, 0, 0, 255, 255])
    let scaled = try image.applying([.scaled(width: 1, height: 1)])
    #expect(scaled.pixels == [0, 0, 255, 128])
  }

  @Test(arguments: [
    (400, 300, 100, 100, 100, 75), (300, 400, 100, 100, 75, 100), (50, 20, 100, 100, 50, 20), (1_000, 1, 10, 10, 10, 1),
  ])
  func `a fitted picture keeps its shape`(
    width: Int, height: Int, boundWidth: Int, boundHeight: Int, newWidth: Int, newHeight: Int
  ) throws {
    let image = try Pictures.solid(width, height, [1, 2, 3, 255])
    let fitted = try image.applying([.aspectFit(width: boundWidth, height: boundHeight)])
    #expect(fitted.size == ImageSize(width: newWidth, height: newHeight))
  }

  @Test func `a side without a bound is the largest possible one`() throws {
    let image = try Pictures.solid(50, 100, [1, 2, 3, 255])
    #expect(try image.applying([.aspectFit(width: .max, height: 10)]).size == ImageSize(width: 5, height: 10))
    #expect(try image.applying([.aspectFit(width: 10, height: .max)]).size == ImageSize(width: 10, height: 20))
  }

  @Test func `a fitted picture is enlarged if the filter says so`() throws {
    let image = try Pictures.solid(5, 10, [1, 2, 3, 255])
    #expect(try image.applying([.aspectFit(width: 100, height: 100)]).size == image.size)
    let enlarged = try image.applying([.aspectFit(width: 100, height: 100, enlarging: true)])
    #expect(enlarged.size == ImageSize(width: 50, height: 100))
  }

  @Test(arguments: [(400, 300), (300, 400), (10, 10), (7, 1_000)])
  func `a filling picture has exactly the size`(width: Int, height: Int) throws {
    let filled = try Pictures.gradient(width, height).applying([.aspectFill(width: 40, height: 50)])
    #expect(filled.size == ImageSize(width: 40, height: 50))
  }

  @Test func `a filling picture keeps its centre`() throws {
    // Three equal parts: red, green, blue.
    let colours: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
    let image = try Image(width: 30, height: 10, pixels: (0..<300).flatMap { colours[$0 % 30 / 10] })
    let filled = try image.applying([.aspectFill(width: 10, height: 10)])
    #expect(filled == (try Pictures.solid(10, 10, [0, 255, 0, 255])))
  }

  @Test func `corners are transparent outside the quarter of a circle`() throws {
    let image = try Pictures.solid(20, 10, [9, 9, 9, 255])
    let rounded = try image.applying([.roundedCorners(radius: 4)])
    let alphas = { (x: Int, y: Int) in rounded.pixels[y * 80 + x * 4 + 3] }
    for (x, y) in [(0, 0), (19, 0), (0, 9), (19, 9)] { #expect(alphas(x, y) == 0) }
    for (x, y) in [(4, 0), (0, 4), (10, 5), (3, 3), (16, 6)] { #expect(alphas(x, y) == 255) }
    let edge = alphas(1, 1)
    #expect(edge > 0 && edge < 255)
    #expect([alphas(18, 1), alphas(1, 8), alphas(18, 8)] == [edge, edge, edge])
    #expect(try image.applying([.roundedCorners(radius: 0)]) == image)
    #expect(try image.applying([.roundedCorners(radius: 500)]) == image.applying([.roundedCorners(radius: 5)]))
  }

  @Test func `a circle is cut out of the centre`() throws {
    let circle = try Pictures.solid(30, 11, [9, 9, 9, 255]).applying([.circle])
    #expect(circle.size == ImageSize(width: 11, height: 11))
    let inside = stride(from: 3, to: circle.pixels.count, by: 4).reduce(0) { $0 + Int(circle.pixels[$1]) }
    // The area of the circle in pixels.
    #expect(abs(Double(inside) / 255 - .pi * 5.5 * 5.5) < 1)
  }

  @Test func `filters compose in their order, with those of a program`() throws {
    let invert = ImageFilter(name: "invert") { image throws(LupineError) in
      var pixels = image.pixels
      for index in pixels.indices where index % 4 != 3 { pixels[index] = 255 - pixels[index] }
      return try Image(width: image.width, height: image.height, pixels: pixels)
    }
    let image = try Pictures.solid(8, 8, [0, 10, 20, 255]).applying([.scaled(width: 4, height: 2), invert, .circle])
    #expect(image.size == ImageSize(width: 2, height: 2))
    #expect(image.pixels.prefix(3) == [255, 245, 235])
  }
}
