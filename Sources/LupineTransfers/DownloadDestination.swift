public import HTTPTypes
public import LupineCore
public import LupineFoundation

/// The place where a downloaded file is stored.
///
/// A string literal is the path of a file, as with `file(_:_:)`.
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
  ///
  /// A name that breaks the grammar is taken as curl and wget take it: with blanks and no quotes, with a quote that does
  /// not end, without a disposition type, in bytes that are not UTF-8.
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

  /// Returns the name that `folder(_:_:)` gives the file of a response.
  ///
  /// A destination of `custom(_:)` can decide by the name. It is one name, without a path.
  ///
  /// - Parameters:
  ///   - head: the head of the response, whose `Content-Disposition` may suggest a name.
  ///   - url: the URL whose last part is the name otherwise.
  public static func suggestedName(for head: HTTPResponse, of url: HTTPURL) -> String {
    SuggestedName.name(from: head.headerFields, path: url.path)
  }

  /// The changes by which a download may make the move to the destination possible.
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

extension DownloadDestination: ExpressibleByStringInterpolation {
  /// A file at this path.
  public init(stringLiteral path: String) { self = .file(path) }
}

/// A path or a file URL that can be passed as the destination of a download.
public protocol DownloadedFileConvertible: Sendable {
  /// The destination; a file that exists there is an error.
  var downloadDestination: DownloadDestination { get }
}

extension String: DownloadedFileConvertible {
  /// The file at this path.
  public var downloadDestination: DownloadDestination { .file(self) }
}

extension URL: DownloadedFileConvertible {
  /// The file of this file URL.
  public var downloadDestination: DownloadDestination { .file(self) }
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
      (Self.path(of: name ?? SuggestedName.name(from: [:], path: url.path), in: folder), options)
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
      return (Self.path(of: Self.suggestedName(for: head, of: url), in: folder), options)
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
