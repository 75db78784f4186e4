/// A decoded picture, possibly smaller than its file.
struct DecodedImage {
  let image: Image
  /// The size of the file, with its orientation applied.
  let fullSize: ImageSize

  /// Whether the picture is large enough for these filters.
  func suffices(for filters: [ImageFilter]) -> Bool {
    if image.size == fullSize { return true }
    guard let needed = filters.first?.neededSize else { return false }
    return image.size.covers(needed(fullSize))
  }
}
