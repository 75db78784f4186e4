import LupineCore
import LupineSupport

/// The facts about a JPEG that its segments state (ITU-T T.81 annex B), read before the file is decoded.
struct JPEGSegments {
  /// The size of the frame.
  private(set) var size = ImageSize(width: 0, height: 0)
  /// The Exif data without their prefix.
  private(set) var exif: UnsafeRawBufferPointer?
  /// Whether there are bytes between two segments before the first scan, as some cameras write them.
  private(set) var hasGaps = false
  private var scans = 0
  private var isSequential = false
  private var components = 0

  /// Reads the segments up to the only scan of a sequential file, or up to the end of the file.
  ///
  /// - Throws: kind `imageLimitExceeded` if the size or the number of the scans exceeds a limit, `invalidImage` if there
  ///   is no frame or no scan, or a reserved marker.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(LupineError) {
    let reader = ByteReader(bytes)
    var offset = 2
    while let (marker, start, position) = try Self.marker(in: bytes, from: offset) {
      if start > offset, scans == 0 { hasGaps = true }
      if marker == 0xD9 { break }
      guard let length = reader.uint16(at: position), length >= 2,
        let segment = reader.slice(at: position + 2, count: length - 2)
      else {
        break
      }
      offset = position + length
      if try take(marker, ByteReader(segment), segment, limits) { break }
    }
    guard size.width > 0, scans > 0 else {
      throw LupineError(.invalidImage, "The JPEG breaks off before its first scan.")
    }
  }

  /// Returns a copy of the file without the bytes between two segments before the first scan.
  static func withoutGaps(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> [UInt8] {
    let reader = ByteReader(bytes)
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    copy += bytes.prefix(2)
    var offset = 2
    while let (marker, start, position) = try marker(in: bytes, from: offset) {
      guard marker != 0xDA, marker != 0xD9, let length = reader.uint16(at: position),
        let segment = reader.slice(at: start, count: position + length - start)
      else {
        copy += bytes[start...]
        break
      }
      copy += segment
      offset = position + length
    }
    return copy
  }

  /// Returns whether no other segment needs to be read.
  private mutating func take(
    _ marker: UInt8, _ reader: ByteReader, _ segment: UnsafeRawBufferPointer, _ limits: ImageLimits
  ) throws(LupineError) -> Bool {
    switch marker {
    case 0xE1 where exif == nil && reader.hasText("Exif\0\0", at: 0):
      exif = reader.slice(at: 6, count: reader.count - 6)
    case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
      guard let height = reader.uint16(at: 1), let width = reader.uint16(at: 3), let count = reader.byte(at: 5) else {
        throw LupineError(.invalidImage, "The frame header of the JPEG breaks off.")
      }
      size = ImageSize(width: width, height: height)
      components = Int(count)
      isSequential = marker == 0xC0 || marker == 0xC1 || marker == 0xC9
      try limits.check(size)
    case 0xDA:
      scans += 1
      try check(limits)
      return isSequential && scans == 1 && reader.byte(at: 0).map(Int.init) == components
    default: break
    }
    return false
  }

  private func check(_ limits: ImageLimits) throws(LupineError) {
    if scans > limits.scans {
      throw .imageLimit(.scans, "The JPEG has more than \(limits.scans) scans")
    }
    if scans > 1, scans * size.pixelCount > limits.scannedPixels {
      throw .imageLimit(.scannedPixels, "The JPEG has at least \(scans) scans of \(size) pixels")
    }
  }

  /// Finds the next marker of a segment with a length, or of the end of the picture, and the offsets of its first byte
  /// and after it.
  ///
  /// Coded data are skipped: FF is followed by 0 or by a restart marker in them.
  ///
  /// - Throws: kind `invalidImage` for a reserved marker (T.81 table B.1). It has no length, so the segments after it are
  ///   unknown.
  private static func marker(
    in bytes: UnsafeRawBufferPointer, from start: Int
  ) throws(LupineError) -> (marker: UInt8, start: Int, end: Int)? {
    var offset = start
    while let found = bytes.position(of: 0xFF, from: offset), found < bytes.count - 1 {
      offset = found + 1
      let marker = bytes[offset]
      switch marker {
      // A stuffed zero, TEM, restart markers and the start of the picture have no length.
      case 0, 1, 0xD0...0xD8: offset += 1
      // A fill byte may come before a marker.
      case 0xFF: break
      case 0x02...0xBF: throw LupineError(.invalidImage, "The JPEG has the reserved marker \(marker).")
      default: return (marker, found, offset + 1)
      }
    }
    return nil
  }
}
