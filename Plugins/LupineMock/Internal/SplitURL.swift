import LupineCore

/// The parts of a request's URL, split once for comparison with many templates.
struct SplitURL {
  let url: HTTPURL
  let origin: HTTPURL.Origin
  /// The path's segments, percent-decoded; `/a/` has two, the last one empty.
  let segments: [String]

  init(_ url: HTTPURL) {
    self.url = url
    origin = url.origin
    segments = Self.segments(of: url.path)
  }

  static func segments(of path: String) -> [String] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { $0.percentDecoded() }
  }
}
