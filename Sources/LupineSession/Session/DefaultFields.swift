import Glibc
import HTTPTypes
import LupineCore

/// The fields that a session adds by itself: `Accept-Encoding`, `Accept-Language` and `User-Agent`.
enum DefaultFields {
  /// Adds those that the builder was not given.
  static func complete(_ configuration: inout SessionConfiguration) {
    add(.acceptEncoding, configuration.contentCodings.acceptEncoding, to: &configuration)
    add(.acceptLanguage, acceptLanguage(environment), to: &configuration)
    add(.userAgent, userAgent, to: &configuration)
    guard configuration.defaultFields.allSatisfy({ $0.scope == nil }) else { return }
    configuration.sharedFields = SharedFields(HTTPFields(configuration.defaultFields.map(\.field)))
  }

  private static func add(_ name: HTTPField.Name, _ value: String?, to configuration: inout SessionConfiguration) {
    guard let value, !configuration.defaultFields.contains(where: { $0.field.name == name }) else { return }
    configuration.defaultFields.append(DefaultField(field: HTTPField(name: name, value: value)))
  }

  /// Up to six languages in their order, as the variables of the C library name them.
  ///
  /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set counts; `LANGUAGE` comes before it unless it is `C`
  /// (gettext's rule).
  static func acceptLanguage(_ environment: (String) -> String?) -> String? {
    guard let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first,
      let language = languageTag(locale[...])
    else { return nil }
    var tags: [String] = []
    for tag in (environment("LANGUAGE") ?? "").split(separator: ":").compactMap(languageTag) + [language]
    where !tags.contains(tag) { tags.append(tag) }
    return ContentCodings.ranked(tags.prefix(6))
  }

  /// `de_AT.UTF-8` is `de-AT`; `C` and `POSIX` name no language.
  private static func languageTag(_ locale: Substring) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    guard name != "C", name != "POSIX" else { return nil }
    let tag = name.split(separator: "_").joined(separator: "-")
    let isTag = tag.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
    return tag.utf8.count >= 2 && isTag ? tag : nil
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The program, its system and this library, as in `demo/Unknown (Linux 6.1.0; x86_64) Lupine/0.1.0`.
  ///
  /// A Linux program carries no version that could be asked for; `.header(.userAgent, …)` names a better one.
  static let userAgent: String = {
    var system = utsname()
    uname(&system)
    let program = token(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "")
    let release = token(string(&system.release))
    return
      "\(program.isEmpty ? "Unknown" : program)/Unknown (\(string(&system.sysname)) \(release); \(string(&system.machine))) "
      + "Lupine/\(Session.libraryVersion)"
  }()

  private static func token(_ text: String) -> String {
    String(
      text.unicodeScalars.filter {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
      })
  }

  private static func string(_ value: inout some Any) -> String {
    withUnsafeBytes(of: &value) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension Session {
  /// This library's version, as `User-Agent` names it.
  public static let libraryVersion = "0.1.0"
}
