public import HTTPTypes
public import LupineCore
import LupineSupport

/// The default fields of a session: `Accept`, `Accept-Encoding`, `Accept-Language` and `User-Agent`.
enum DefaultFields {
  /// Adds the default fields that the builder does not set.
  static func complete(_ configuration: inout SessionConfiguration) {
    // Some servers refuse a request without the field, which every other client sends.
    add(.accept, "*/*", to: &configuration)
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

  /// Up to six languages in order of preference, from the locale variables of the environment.
  ///
  /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set applies. `LANGUAGE` has precedence over it, unless its
  /// value is `C` (gettext's rule).
  static func acceptLanguage(_ environment: (String) -> String?) -> String? {
    guard let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first,
      let language = languageTag(locale[...])
    else { return nil }
    var tags: [String] = []
    for tag in (environment("LANGUAGE") ?? "").split(separator: ":").compactMap(languageTag) + [language]
    where !tags.contains(tag) { tags.append(tag) }
    return ContentCodings.ranked(tags.prefix(6))
  }

  /// Converts a locale to a language tag: `de_AT.UTF-8` is `de-AT`; `C` and `POSIX` give `nil`.
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
    SystemEnvironment.variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The product names of the program, the system and this library: `demo/Unknown (Linux 6.1.0; x86_64) Lupine/0.1.0`.
  ///
  /// The program's version is `Unknown`, because a Linux program has no version to read. `.header(.userAgent, …)`
  /// replaces the field.
  static let userAgent: String = {
    let kernel = SystemEnvironment.kernel
    let program = token(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "")
    let release = token(kernel.release)
    return
      "\(program.isEmpty ? "Unknown" : program)/Unknown (\(kernel.name) \(release); \(kernel.machine)) "
      + "Lupine/\(Session.libraryVersion)"
  }()

  private static func token(_ text: String) -> String {
    String(
      text.unicodeScalars.filter {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
      })
  }
}

extension Session {
  /// This library's version, as `User-Agent` names it.
  static let libraryVersion = "0.1.0"

  /// The request with the session's default fields and version.
  ///
  /// A field that the request already has is not changed. No content coding is requested with a range, because a part
  /// of coded content cannot be decoded, and many servers would send the whole content.
  func addingDefaults(to described: OutgoingRequest) throws(LupineError) -> OutgoingRequest {
    var request = described
    if let version = configuration.version, request.version == nil { request.options.version = version }
    if let shared = configuration.sharedFields?.added(to: request) { return shared }
    for field in configuration.defaultFields where !described.headers.contains(field.field.name) {
      if let scope = field.scope {
        guard try scope.allows(request.url, baseURL: baseURL) else { continue }
      }
      let isForPart = described.headers.contains(.range) && isOwnCodings(field.field)
      request.headers.append(isForPart ? HTTPField(name: .acceptEncoding, value: "identity") : field.field)
    }
    request.scanFields()
    return request
  }

  /// Whether the field is the session's own `Accept-Encoding`.
  private func isOwnCodings(_ field: HTTPField) -> Bool {
    field.name == .acceptEncoding && field.value == configuration.contentCodings.acceptEncoding
  }
}

extension Session.Builder {
  /// Adds a field to every request that does not have a field of that name.
  ///
  /// By default, a secret field, such as `Authorization`, is sent only to the base URL's origin; `scope` changes this.
  public func header(_ name: HTTPField.Name, _ value: String, to scope: CredentialScope = .baseURL) -> Self {
    changed { builder in
      builder.configuration.defaultFields.removeAll { $0.field.name == name }
      builder.add(name, value, scope)
    }
  }

  /// Adds a field whose name is a text, such as `header("X-Trace", "42")`.
  ///
  /// `build()` throws if the name or the value is invalid; see `RequestHeaders`.
  public func header(_ name: String, _ value: String, to scope: CredentialScope = .baseURL) -> Self {
    headers([RequestHeader(name: name, value: value)], to: scope)
  }

  /// Adds several fields, as `header` does one; sends all values of a repeated name.
  ///
  /// `build()` throws if a name or a value is invalid; see `RequestHeaders`.
  public func headers(_ headers: RequestHeaders, to scope: CredentialScope = .baseURL) -> Self {
    do throws(LupineError) {
      return self.headers(try headers.fields, to: scope)
    } catch {
      return changed { $0.issues.append(ConfigurationIssue(part: "headers", reason: error.message)) }
    }
  }

  /// Adds several fields of swift-http-types.
  @_disfavoredOverload
  public func headers(_ fields: HTTPFields, to scope: CredentialScope = .baseURL) -> Self {
    changed { builder in
      builder.configuration.defaultFields.removeAll { fields[$0.field.name] != nil }
      for field in fields { builder.add(field.name, field.value, scope) }
    }
  }

  private mutating func add(_ name: HTTPField.Name, _ value: String, _ scope: CredentialScope) {
    guard FieldRules.isValid(value: value) else {
      issues.append(
        ConfigurationIssue(part: "header", reason: "the value of \(name) has a control byte, or spaces at its ends"))
      return
    }
    configuration.defaultFields.append(DefaultField(field: HTTPField(name: name, value: value), scope: scope))
  }

  /// Marks a field as secret, in addition to the standard secret fields.
  public func secretField(_ name: HTTPField.Name) -> Self {
    changed { $0.configuration.secretFields.insert(name) }
  }
}
