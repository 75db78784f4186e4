import Glibc

/// The folders on the way to a download's destination.
enum Folder {
  static func prepare(for place: DownloadDestination.Place) throws(LupineError) {
    if place.options.contains(.createIntermediateDirectories) { try create(above: place.path) }
    guard !place.options.contains(.removePreviousFile), access(place.path, F_OK) == 0 else { return }
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
