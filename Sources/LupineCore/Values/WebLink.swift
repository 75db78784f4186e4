public import HTTPTypes
import LupineSupport

/// A link of a response's `Link` field (Web Linking, RFC 8288).
public struct WebLink: Sendable, Hashable {
  /// The target as the server wrote it: a URI reference.
  public let reference: String
  /// The target, resolved against the URL of the response; `nil` if it is no `http` or `https` URL.
  ///
  /// User information of the target is removed.
  public let url: HTTPURL?
  /// The relations of the target to the context, in lower case, such as `next`.
  public let relations: [String]
  /// The parameters in order, with names in lower case, `rel` included.
  public let parameters: [Parameter]
  /// The context that the parameter `anchor` names; `nil` if there is none, so that the context is the response.
  public let anchor: String?
  /// The context, resolved as the target is; the URL of the response if there is no `anchor`.
  public let context: HTTPURL?

  /// A parameter of a link.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value; empty if there is none.
    public let value: String
  }

  /// Whether the target has this relation to the context; the case does not matter (RFC 8288 section 2.1).
  public func has(relation: String) -> Bool { relations.contains(relation.lowercased()) }

  /// The value of the first parameter of this name, whose case does not matter; `nil` without one.
  public subscript(parameter name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// The title: the parameter `title*` (RFC 8187) if it is valid, otherwise `title`.
  public var title: String? { self[parameter: "title*"].flatMap(ExtendedValue.decoded) ?? self[parameter: "title"] }

  /// The media type that the target probably has.
  public var type: String? { self[parameter: "type"] }

  /// The language that the target probably has; the first one if there are several.
  public var language: String? { self[parameter: "hreflang"] }
}

extension WebLink {
  /// Returns the links of the `Link` fields, in order.
  ///
  /// Targets are read up to `>` and unquoted values up to `;` or `,` (RFC 8288 appendices B.2 and B.3), also if the
  /// grammar of section 3 forbids their bytes. A quoted value without a closing quote ends with the field (appendix
  /// B.4). A link that cannot be read so, or that has no relation, is skipped, and
  /// so is the text up to the next comma. Of a parameter that must not be repeated, the first one counts. The work is
  /// linear in the length of the fields.
  ///
  /// - Parameters:
  ///   - fields: the fields of a response.
  ///   - base: the URL of the response, after redirects; `nil` resolves absolute targets only.
  public static func links(in fields: HTTPFields, relativeTo base: HTTPURL?) -> [WebLink] {
    guard fields.contains(.link) else { return [] }
    // A target does not inherit the fragment of the response's URL (RFC 3986 section 5.2.2).
    let base = base.flatMap { $0.fragment == nil ? $0 : try? HTTPURL($0.absoluteTarget) }
    return fields[values: .link].flatMap { value in
      var parser = LinkParser(value)
      return parser.links().map { WebLink($0.reference, $0.parameters, base) }
    }
  }

  private init(_ reference: String, _ parameters: [Parameter], _ base: HTTPURL?) {
    func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    self.reference = reference
    self.parameters = parameters
    url = Self.resolved(reference, base)
    relations = (value("rel") ?? "").lowercased().split { $0 == " " || $0 == "\t" }.map(String.init)
    anchor = value("anchor")
    context = anchor.map { Self.resolved($0, base) } ?? base
  }

  private static func resolved(_ reference: String, _ base: HTTPURL?) -> HTTPURL? {
    guard let base else { return try? HTTPURL(reference) }
    return try? base.resolving(location: reference)
  }
}

extension HTTPField.Name {
  /// `Link`, for which swift-http-types has no constant (RFC 8288).
  fileprivate static let link = HTTPField.Name(constant: "Link")
}

/// A parameter value with a character set (RFC 8187 section 3.2.1).
enum ExtendedValue {
  /// Decodes `UTF-8'en'%C3%A9`; `nil` for any other character set and for invalid escapes.
  static func decoded(_ text: String) -> String? {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    guard parts[2].utf8.allSatisfy({ $0.isTokenByte && $0 != UInt8(ascii: "*") }) else { return nil }
    return PercentCoding.text(parts[2])
  }
}
