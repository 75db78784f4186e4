/// Scales pictures with a triangle filter, whose width grows with the reduction, so that every pixel counts.
///
/// Colours are weighted with their alpha, so that a transparent pixel does not tint its neighbours.
enum Scaling {
  private static var weightBits: Int32 { ScalingWeights.bits }
  /// The bits behind the point of an intermediate value of a picture without transparent pixels.
  private static let middleBits: Int32 = 6
  /// The bits behind the point of an intermediate alpha.
  private static let alphaBits: Int32 = 7

  /// Scales the part of the picture around its centre.
  ///
  /// An intermediate picture has the new length of one axis and the old length of the other one. The axis is chosen so
  /// that it is not larger than the picture or the result.
  static func scale(_ image: Image, part: ImageSize, to size: ImageSize) -> Image {
    if part == size { return image.croppedAroundCentre(to: size) }
    let columns = ScalingWeights(from: part.width, to: size.width, offset: (image.width - part.width) / 2)
    let rows = ScalingWeights(from: part.height, to: size.height, offset: (image.height - part.height) / 2)
    let isOpaque = image.isOpaque
    if size.width <= part.width {
      // The lines are the rows.
      let lines = Lines(
        first: rows.offset, count: part.height, lineStep: image.bytesPerRow, pixelStep: 4, isOpaque: isOpaque)
      let middle = shortened(image, lines, columns)
      return Image(size, merged(middle, size.width, rows, lineStep: size.width * 4, pixelStep: 4, isOpaque: isOpaque))
    }
    let lines = Lines(
      first: columns.offset, count: part.width, lineStep: 4, pixelStep: image.bytesPerRow, isOpaque: isOpaque)
    let middle = shortened(image, lines, rows)
    return Image(
      size, merged(middle, size.height, columns, lineStep: 4, pixelStep: size.width * 4, isOpaque: isOpaque))
  }

  /// The rows or the columns of a picture.
  private struct Lines {
    let first: Int
    let count: Int
    /// The bytes from one line to the next.
    let lineStep: Int
    /// The bytes from one pixel of a line to the next.
    let pixelStep: Int
    let isOpaque: Bool
  }

  /// Scales each line; the colours of the result are multiplied with their alpha.
  private static func shortened(_ image: Image, _ lines: Lines, _ weights: ScalingWeights) -> [Int16] {
    let length = weights.starts.count
    let count = length * lines.count * 4
    return [Int16](unsafeUninitializedCapacity: count) { target, initialized in
      image.pixels.withUnsafeBytes { source in
        var output = 0
        for line in lines.first..<lines.first + lines.count {
          for position in 0..<length {
            let start = line * lines.lineStep + weights.starts[position] * lines.pixelStep
            let sum =
              lines.isOpaque
              ? opaqueSum(source, start, lines.pixelStep, weights, position)
              : sum(source, start, lines.pixelStep, weights, position)
            for channel in 0..<4 { target[output + channel] = Int16(truncatingIfNeeded: sum[channel]) }
            output += 4
          }
        }
      }
      initialized = count
    }
  }

  @inline(__always)
  private static func opaqueSum(
    _ source: UnsafeRawBufferPointer, _ start: Int, _ step: Int, _ weights: ScalingWeights, _ position: Int
  ) -> SIMD4<Int32> {
    var sum = SIMD4<Int32>.zero
    var input = start
    for index in weights.range(position) {
      let pixel = SIMD4<Int32>(truncatingIfNeeded: source.loadUnaligned(fromByteOffset: input, as: SIMD4<UInt8>.self))
      sum &+= pixel &* weights.weights[index]
      input += step
    }
    return sum &>> (weightBits - middleBits)
  }

  /// The colours have a half of the product of value and alpha, so that they fit in 15 bits.
  @inline(__always)
  private static func sum(
    _ source: UnsafeRawBufferPointer, _ start: Int, _ step: Int, _ weights: ScalingWeights, _ position: Int
  ) -> SIMD4<Int32> {
    var sum = SIMD4<Int32>.zero
    var input = start
    for index in weights.range(position) {
      var pixel = SIMD4<Int32>(truncatingIfNeeded: source.loadUnaligned(fromByteOffset: input, as: SIMD4<UInt8>.self))
      let alpha = pixel.w
      pixel.w = 1
      sum &+= pixel &* (alpha &* weights.weights[index])
      input += step
    }
    sum &+= SIMD4(1 << weightBits, 1 << weightBits, 1 << weightBits, 1 << (weightBits - alphaBits - 1))
    return sum &>> SIMD4(weightBits + 1, weightBits + 1, weightBits + 1, weightBits - alphaBits)
  }

  /// Scales across the lines, and divides the colours by their alpha.
  ///
  /// - Parameters:
  ///   - length: the number of pixels in a line.
  ///   - lineStep: the bytes from one line of the result to the next.
  ///   - pixelStep: the bytes from one pixel of such a line to the next.
  private static func merged(
    _ middle: [Int16], _ length: Int, _ weights: ScalingWeights, lineStep: Int, pixelStep: Int, isOpaque: Bool
  ) -> [UInt8] {
    let lineSize = length * 4
    let count = lineSize * weights.starts.count
    return [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      middle.withUnsafeBufferPointer { source in
        var sums = [Int32](repeating: 0, count: lineSize)
        sums.withUnsafeMutableBufferPointer { sums in
          for line in 0..<weights.starts.count {
            sums.update(repeating: 0)
            var input = (weights.starts[line] - weights.offset) * lineSize
            for index in weights.range(line) {
              // The processor multiplies 16-bit numbers faster.
              let weight = Int16(weights.weights[index])
              for offset in 0..<lineSize { sums[offset] &+= Int32(source[input + offset]) &* Int32(weight) }
              input += lineSize
            }
            if isOpaque {
              storeOpaque(sums, in: target, at: line * lineStep, pixelStep)
            } else {
              store(sums, in: target, at: line * lineStep, pixelStep)
            }
          }
        }
      }
      initialized = count
    }
  }

  private static func storeOpaque(
    _ sums: UnsafeMutableBufferPointer<Int32>, in target: UnsafeMutableBufferPointer<UInt8>, at start: Int, _ step: Int
  ) {
    let shift = weightBits + middleBits
    let half: Int32 = 1 << (shift - 1)
    var output = start
    for offset in stride(from: 0, to: sums.count, by: 4) {
      for channel in 0..<4 {
        target[output + channel] = UInt8(truncatingIfNeeded: (sums[offset + channel] &+ half) >> shift)
      }
      output += step
    }
  }

  private static func store(
    _ sums: UnsafeMutableBufferPointer<Int32>, in target: UnsafeMutableBufferPointer<UInt8>, at start: Int, _ step: Int
  ) {
    let shift = weightBits + alphaBits
    var output = start
    for offset in stride(from: 0, to: sums.count, by: 4) {
      let divisor = Int(sums[offset + 3])
      let alpha = UInt8(truncatingIfNeeded: (sums[offset + 3] &+ 1 << (shift - 1)) >> shift)
      target[output + 3] = alpha
      for channel in 0..<3 {
        // The colours are halved, and the alpha has seven bits behind the point.
        let value = Int(sums[offset + channel]) << Int(alphaBits + 1)
        target[output + channel] = alpha == 0 ? 0 : UInt8(min(255, (value + divisor / 2) / divisor))
      }
      output += step
    }
  }
}
