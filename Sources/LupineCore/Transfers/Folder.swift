import Glibc

/// The folders on the way to a download's destination.
enum Folder {
  /// Makes the folders where that is wanted, and finds out at the head what would be in the file's way at the end.
  static func prepare(for place: DownloadDestination.Place) throws(LupineError) {
    if place.options.contains(.createIntermediateDirectories) { try create(above: place.path) }
    var status = stat()
    guard lstat(place.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw LupineError(.fileFailed, "There is a folder at \(place.path), which no file replaces; name a file in it.")
    }
    guard !place.options.contains(.removePreviousFile) else { return }
    throw LupineError(
      .fileFailed, "There is a file at \(place.path) already; add .removePreviousFile where it is to be replaced.")
  }

  private static func create(above path: String) throws(LupineError) {
    var folder = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      if mkdir(folder, 0o777) != 0, errno != EEXIST { throw PartialFile.Failure.error("cannot be created", folder) }
    }
  }
}
