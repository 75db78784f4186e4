import CTurboJPEG
import LupineCore

/// Owns a decompressor of libjpeg-turbo.
struct JPEGDecoder: ~Copyable {
  private let handle: tjhandle

  init() throws(LupineError) {
    guard let handle = tjInitDecompress() else {
      throw LupineError(.other, "libjpeg-turbo has no memory for a decompressor.")
    }
    self.handle = handle
  }

  deinit { tjDestroy(handle) }

  /// Decodes a file, at full size or at a half, a quarter or an eighth of it.
  ///
  /// Bytes between segments make libjpeg-turbo warn, and hide later warnings: it reads a copy without them.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, _ segments: JPEGSegments, _ needed: ((ImageSize) -> ImageSize)?
  ) throws(LupineError) -> Image {
    guard segments.hasGaps else { return try JPEGDecoder().decode(bytes, segments, needed) }
    let copy = try JPEGSegments.withoutGaps(bytes)
    let result = copy.withUnsafeBytes { copy in
      Result { () throws(LupineError) in try JPEGDecoder().decode(copy, segments, needed) }
    }
    return try result.get()
  }

  private consuming func decode(
    _ bytes: UnsafeRawBufferPointer, _ segments: JPEGSegments, _ needed: ((ImageSize) -> ImageSize)?
  ) throws(LupineError) -> Image {
    let colours = try colourSpace(bytes, segments)
    let size = needed.map { Self.size(of: segments.size, covering: $0(segments.size)) } ?? segments.size
    let isInks = colours == TJCS_CMYK.rawValue || colours == TJCS_YCCK.rawValue
    return try Image(size) { (pixels) throws(LupineError) in
      let source = bytes.bindMemory(to: UInt8.self).baseAddress
      let target = pixels.bindMemory(to: UInt8.self).baseAddress
      let format = isInks ? TJPF_CMYK : TJPF_RGBA
      let result = tjDecompress2(
        handle, source, UInt(bytes.count), target, Int32(size.width), Int32(size.width * 4), Int32(size.height),
        format.rawValue, TJFLAG_LIMITSCANS)
      if result != 0, !isHarmless { throw failure() }
      if isInks { Self.mixInks(in: pixels) }
    }
  }

  /// Returns the colour space of the header, after a check that libjpeg-turbo reads the same size.
  private func colourSpace(_ bytes: UnsafeRawBufferPointer, _ segments: JPEGSegments) throws(LupineError) -> UInt32 {
    var (width, height, subsampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, -1)
    let source = bytes.bindMemory(to: UInt8.self).baseAddress
    let result = tjDecompressHeader3(
      handle, source, UInt(bytes.count), &width, &height, &subsampling, &colours)
    // An unusual subsampling is an error of this function alone.
    if result != 0, width <= 0 || colours < 0 { throw failure() }
    guard segments.size == ImageSize(width: Int(width), height: Int(height)), colours >= 0 else {
      throw LupineError(.invalidImage, "The JPEG states two sizes.")
    }
    return UInt32(colours)
  }

  /// Whether the message of libjpeg-turbo is the warning about bytes between the last scan and the end of the picture.
  ///
  /// The library keeps its first warning alone. After this one there is no other.
  private var isHarmless: Bool {
    tjGetErrorCode(handle) == TJERR_WARNING.rawValue && message.hasSuffix("extraneous bytes before marker 0xd9")
  }

  private var message: String { tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no message" }

  private func failure() -> LupineError {
    LupineError(.invalidImage, "libjpeg-turbo cannot decode the JPEG: \(message).")
  }

  /// The smallest of the sizes that libjpeg-turbo decodes fast and that covers the needed size.
  ///
  /// It rounds sides up.
  private static func size(of full: ImageSize, covering needed: ImageSize) -> ImageSize {
    for divisor in [8, 4, 2] {
      let size = ImageSize(
        width: (full.width + divisor - 1) / divisor, height: (full.height + divisor - 1) / divisor)
      if size.covers(needed) { return size }
    }
    return full
  }

  /// Converts inks to red, green and blue in place.
  ///
  /// Programs store the complement of the inks (Adobe's marker), so a stored 255 is no ink.
  private static func mixInks(in pixels: UnsafeMutableRawBufferPointer) {
    for offset in stride(from: 0, to: pixels.count, by: 4) {
      let black = Int(pixels[offset + 3])
      for channel in 0..<3 {
        pixels[offset + channel] = UInt8((Int(pixels[offset + channel]) * black + 127) / 255)
      }
      pixels[offset + 3] = 255
    }
  }
}
