extension Image {
  /// Returns the part of this size around the centre; a side that is not longer stays.
  func croppedAroundCentre(to size: ImageSize) -> Image {
    let size = ImageSize(width: min(size.width, width), height: min(size.height, height))
    if size == self.size { return self }
    let left = (width - size.width) / 2
    let top = (height - size.height) / 2
    var part: [UInt8] = []
    part.reserveCapacity(size.pixelCount * 4)
    for row in top..<top + size.height {
      let start = row * bytesPerRow + left * 4
      part += pixels[start..<start + size.width * 4]
    }
    return Image(size, part)
  }

  /// Returns the picture with corners that are transparent outside a quarter of a circle, whose edge is smooth.
  func withRoundedCorners(radius: Double) -> Image {
    let radius = min(radius, Double(min(width, height)) / 2)
    if radius <= 0 { return self }
    var pixels = pixels
    let rows = Int(radius.rounded(.up))
    for row in 0..<rows {
      for column in 0..<rows {
        let coverage = Self.coverage(column, row, radius)
        if coverage >= 1 { break }
        for (x, y) in corners(column, row) {
          let offset = y * bytesPerRow + x * 4 + 3
          pixels[offset] = UInt8(Double(self.pixels[offset]) * coverage + 0.5)
        }
      }
    }
    return Image(size, pixels)
  }

  /// The part of a pixel that is inside the circle, from 0 to 1, from the distance of its centre.
  private static func coverage(_ column: Int, _ row: Int, _ radius: Double) -> Double {
    let x = radius - Double(column) - 0.5
    let y = radius - Double(row) - 0.5
    return min(1, max(0, radius - (x * x + y * y).squareRoot() + 0.5))
  }

  /// The pixels with this distance from each of the four corners.
  private func corners(_ column: Int, _ row: Int) -> [(Int, Int)] {
    [(column, row), (width - 1 - column, row), (column, height - 1 - row), (width - 1 - column, height - 1 - row)]
  }
}
