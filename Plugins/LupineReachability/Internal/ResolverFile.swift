import LupineCore

/// The name servers of `/etc/resolv.conf`.
struct ResolverFile: Sendable {
  var path = "/etc/resolv.conf"

  /// Returns the addresses in their order, without scopes such as `%eth0`; empty if the file cannot be read.
  func servers() -> [IPAddress] {
    guard let text = TextFile.contents(path) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split { $0 == " " || $0 == "\t" }
      guard words.count >= 2, words[0] == "nameserver" else { return nil }
      return IPAddress(String(words[1].prefix { $0 != "%" }))
    }
  }
}
