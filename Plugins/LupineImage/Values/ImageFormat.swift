import LupineCore

/// A format of image files.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG: `image/jpeg`.
  case jpeg
  /// PNG: `image/png`. Of an animation, the first picture is used.
  case png
  /// WebP: `image/webp`. An animation is refused.
  case webp

  /// The media type, such as `image/jpeg`.
  public var mediaType: String { "image/\(rawValue)" }

  /// The media types under which servers send the format.
  ///
  /// `image/jpg`, `image/pjpeg` and `image/x-png` are no registered types, but common.
  public var mediaTypes: [String] {
    switch self {
    case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg"]
    case .png: ["image/png", "image/x-png", "image/apng"]
    case .webp: ["image/webp"]
    }
  }

  /// Determines the format from the first bytes of a file; returns `nil` for another format.
  ///
  /// - Parameter bytes: at least the first 12 bytes of the file.
  public init?(firstBytes bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(12))
    if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if start.count == 12, start.starts(with: "RIFF".utf8), start.dropFirst(8).elementsEqual("WEBP".utf8) {
      self = .webp
    } else {
      return nil
    }
  }

  /// Returns the format of a file whose server named this type; `nil` if it named none.
  ///
  /// - Throws: kind `unacceptableContentType` if the type is not that of the format, or of no image.
  static func format(
    firstBytes bytes: some Collection<UInt8>, contentType: String?
  ) throws(LupineError) -> ImageFormat {
    if let contentType { try check(contentType: contentType) }
    guard let format = ImageFormat(firstBytes: bytes) else {
      throw LupineError(.unsupportedImage, "The first bytes are those of no JPEG, PNG or WebP file.")
    }
    guard let type = contentType.flatMap({ MediaType($0)?.essence }), !format.mediaTypes.contains(type) else {
      return format
    }
    throw LupineError(
      .unacceptableContentType(type), "The server named the type \(type), but the file begins as \(format.mediaType).")
  }

  /// - Throws: kind `unacceptableContentType` if it is not the type of a format that is decoded.
  static func check(contentType: String) throws(LupineError) {
    let type = MediaType(contentType)?.essence
    if let type, allCases.contains(where: { $0.mediaTypes.contains(type) }) { return }
    throw LupineError(
      .unacceptableContentType(type ?? contentType),
      "The type \(type ?? contentType) is none of \(allCases.map(\.mediaType).joined(separator: ", ")).")
  }
}
