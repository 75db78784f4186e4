public import HTTPTypes
import LupineCore
public import LupineFoundation
import LupineSupport

/// The place where a downloaded file is stored.
public struct DownloadDestination: Sendable {
  /// A path and its options, decided when the response's head arrives.
  public typealias Place = (path: String, options: Options)

  let kind: Kind

  enum Kind: Sendable {
    case temporary
    case file(String, Options)
    case folder(String, Options)
    case custom(@Sendable (HTTPResponse) throws -> Place)
    /// An invalid destination, with its error.
    case nowhere(LupineError)
  }

  /// A new file in the system's temporary folder; the caller removes it.
  public static let temporary = DownloadDestination(kind: .temporary)

  /// A file at this path.
  public static func file(_ path: String, _ options: Options = []) -> DownloadDestination {
    DownloadDestination(kind: .file(path, options))
  }

  /// The file that a file URL names.
  ///
  /// A URL that names no file of this machine fails the download with kind `fileFailed` before anything is sent.
  public static func file(_ url: URL, _ options: Options = []) -> DownloadDestination {
    at(url) { .file($0, options) }
  }

  /// A file in this folder with the name that the server suggests (RFC 6266), made safe, or the URL's last part.
  public static func folder(_ path: String, _ options: Options = []) -> DownloadDestination {
    DownloadDestination(kind: .folder(path, options))
  }

  /// A file in the folder that a file URL names, as with a path.
  public static func folder(_ url: URL, _ options: Options = []) -> DownloadDestination {
    at(url) { .folder($0, options) }
  }

  private static func at(_ url: URL, _ make: (String) -> Kind) -> DownloadDestination {
    do throws(LupineError) {
      return DownloadDestination(kind: make(try url.localPath(orFailAs: .fileFailed)))
    } catch {
      return DownloadDestination(kind: .nowhere(error))
    }
  }

  /// A place that a closure returns for the response.
  ///
  /// The closure is called for each head that brings the file or the rest of it, on a thread that may wait for a disk.
  public static func custom(_ place: @escaping @Sendable (HTTPResponse) throws -> Place) -> DownloadDestination {
    DownloadDestination(kind: .custom(place))
  }

  /// What the download may do to make the move to the destination possible.
  public struct Options: OptionSet, Sendable, Hashable, Codable {
    /// The bits of the set; each option is one bit.
    public let rawValue: Int
    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates the missing folders of the path.
    public static let createIntermediateDirectories = Options(rawValue: 1)
    /// Replaces an existing file.
    public static let removePreviousFile = Options(rawValue: 2)
  }
}

extension DownloadDestination {
  /// Returns the path as far as it is known before a head; the name of a file in a folder may change with the head.
  ///
  /// - Parameter name: the earlier name of the file.
  func expectedPlace(of url: HTTPURL, named name: String?) -> Place? {
    switch kind {
    case .temporary, .custom, .nowhere: nil
    case .file(let path, let options): (path, options)
    case .folder(let folder, let options):
      (Self.path(of: name ?? SuggestedName.name(from: nil, path: url.path), in: folder), options)
    }
  }

  /// Throws if the destination is invalid.
  func check() throws(LupineError) {
    if case .nowhere(let error) = kind { throw error }
  }

  /// Returns an empty path for an empty folder, so that nothing is written to the root folder.
  private static func path(of name: String, in folder: String) -> String {
    guard !folder.isEmpty else { return "" }
    return folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// Returns the path for this response; `nil` for a temporary file, whose path is known only when it is made.
  func place(for head: HTTPResponse, of url: HTTPURL) throws(LupineError) -> Place? {
    switch kind {
    case .temporary: return nil
    case .nowhere(let error): throw error
    case .file(let path, let options): return (path, options)
    case .folder(let folder, let options):
      let name = SuggestedName.name(from: head.headerFields[.contentDisposition], path: url.path)
      return (Self.path(of: name, in: folder), options)
    case .custom(let place):
      do {
        return try place(head)
      } catch {
        throw error as? LupineError
          ?? LupineError(.fileFailed, "The download's destination could not be decided: \(error).", underlying: error)
      }
    }
  }
}

/// A file name that a server suggests, made safe: one name, no path, not hidden (RFC 6266 section 4.3).
enum SuggestedName {
  static func name(from disposition: String?, path: String) -> String {
    let suggested = disposition.flatMap(fileName)
    let last = path.split(separator: "/").last.flatMap(PercentCoding.text)
    return [suggested, last].compactMap { $0.flatMap(safe) }.first ?? "download"
  }

  /// Returns the file name; `filename*` takes precedence over `filename`.
  private static func fileName(_ disposition: String) -> String? {
    guard disposition.utf8.count <= 4_096, let media = MediaType("a/" + disposition) else { return nil }
    if let extended = media.parameters.first(where: { $0.name.lowercased() == "filename*" })?.value {
      let parts = extended.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
      if parts.count == 3, parts[0].lowercased() == "utf-8", let name = PercentCoding.text(parts[2]) { return name }
    }
    return media.parameters.first { $0.name.lowercased() == "filename" }?.value
  }

  /// Returns the last part of a path with `/` or `\`, without a drive letter, control bytes, or leading dots, dashes or
  /// tildes, within 200 bytes.
  static func safe(_ name: String) -> String? {
    guard !name.utf8.contains(0), !name.contains("\u{FFFD}") else { return nil }
    let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
    let scalars = String.UnicodeScalarView(
      last.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !isMark($0) })
    let bare = withoutDrive(scalars[...]).drop { ".-~ ".unicodeScalars.contains($0) }
    let text = withoutBlankEnd(shortened(withoutBlankEnd(String(Substring(bare)))))
    return text.isEmpty ? nil : text
  }

  private static func withoutDrive(_ scalars: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    guard let letter = scalars.first, letter.isASCII, letter.properties.isAlphabetic, scalars.dropFirst().first == ":"
    else { return scalars }
    return scalars.dropFirst(2)
  }

  /// Shortens the name to 200 bytes and keeps its extension.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > 200 else { return name }
    let suffix = name.lastIndex(of: ".").map { name[$0...] } ?? ""
    guard suffix.utf8.count <= 20 else { return name.cut(toBytes: 200) }
    return name.dropLast(suffix.count).cut(toBytes: 200 - suffix.utf8.count) + suffix
  }

  private static func withoutBlankEnd(_ name: String) -> String {
    var name = name
    while name.hasSuffix(" ") || name.hasSuffix(".") { name.removeLast() }
    return name
  }

  /// Whether the scalar changes the text direction, which can make a name look like another.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      || (0x200E...0x200F).contains(scalar.value) || scalar.value == 0x061C
  }
}
