import FoundationEssentials

extension URL {
  /// The path of the file on this machine that the URL names.
  ///
  /// - Throws: `LupineError` of the given kind where it names none, as with another scheme or another machine's name (RFC
  ///   8089).
  package func localPath(orFailAs kind: LupineError.Kind) throws(LupineError) -> String {
    let url = absoluteURL
    let host = url.host(percentEncoded: false) ?? ""
    guard url.isFileURL, host.isEmpty || host.lowercased() == "localhost" else {
      let name = url.scheme.map { "has the scheme \"\($0)\"" } ?? "has no scheme"
      let reason = url.isFileURL ? "names a file on the machine \"\(host)\"" : name
      throw LupineError(
        kind,
        "A file of this machine was to be named by a URL that \(reason); give it a path, or a URL of the scheme "
          + "\"file\".")
    }
    return url.path
  }
}
