public import HTTPTypes
public import LupineCore

/// The rules by which a recording replaces secrets with placeholders.
///
/// These places are secret without any rule: the session's secret fields and fields with names such as `X-Api-Key`;
/// the values of cookies, in both directions; the user information of URLs; the parameters of queries and forms, the
/// members of JSON, also in the events of an event stream, and the parts of multipart bodies with a name such as
/// `access_token`, `password` or `api_key` (`SecretParameters`). An object or array with such a name is secret with all
/// of its texts and numbers. Numbers with fewer than four digits, booleans and `null` are not replaced.
///
/// Afterwards no replaced value may stand anywhere else in the recording, neither plain nor percent-coded, escaped as in
/// JSON or in base64, and no text that has the shape of a known token: otherwise the recording fails. Values of fewer than
/// six bytes are not searched for, because they occur by chance. A secret that a server spells over many events cannot be
/// found.
public struct Redaction: Sendable {
  var fields: Set<HTTPField.Name> = []
  var members: Set<String> = []
  var harmlessFields: Set<HTTPField.Name> = []
  var harmlessMembers: Set<String> = []
  var harmlessTexts: Set<String> = []
  var harmlessCodings: Set<String> = []
  var finders: [@Sendable (String) -> [Range<String.Index>]] = []

  /// The rules that hold for every recording.
  public init() {}

  /// Returns the rules with further ones.
  public func redacting(_ rules: Rule...) -> Redaction { redacting(rules) }

  /// Returns the rules with further ones.
  public func redacting(_ rules: [Rule]) -> Redaction {
    rules.reduce(into: self) { redaction, rule in rule.change(&redaction) }
  }

  /// Returns the rules with texts that are no secrets: they are neither replaced nor searched for.
  public func harmless(_ texts: String...) -> Redaction { redacting(texts.map { .harmless($0) }) }
}

extension Redaction: ExpressibleByArrayLiteral {
  /// The rules of every recording, and these.
  public init(arrayLiteral rules: Rule...) { self = Redaction().redacting(rules) }
}

extension Redaction {
  /// One rule in addition to those that hold for every recording.
  public struct Rule: Sendable {
    fileprivate let change: @Sendable (inout Redaction) -> Void

    /// The values of this field are secret, in requests and responses.
    public static func field(_ name: HTTPField.Name) -> Rule { Rule { $0.fields.insert(name) } }

    /// The values with this name are secret: in queries, forms, JSON, multipart bodies and events.
    ///
    /// Letter case, hyphens and underscores do not count.
    public static func member(_ name: String) -> Rule { Rule { $0.members.insert(SecretRules.plain(name)) } }

    /// The parts of a text that the closure returns are secret.
    ///
    /// The closure receives each URL, each value of a field, each message of an error, and each body in UTF-8 of at most
    /// 16 MiB. It is called off the transport's thread, and concurrently. For a regular expression:
    /// `.text { $0.ranges(of: /ACCT-\d+/) }`.
    public static func text(_ secrets: @escaping @Sendable (String) -> [Range<String.Index>]) -> Rule {
      Rule { $0.finders.append(secrets) }
    }

    /// This text is no secret: it is neither replaced nor searched for.
    public static func harmless(_ text: String) -> Rule { Rule { $0.harmlessTexts.insert(text) } }

    /// The values of this field are no secrets.
    public static func harmless(field name: HTTPField.Name) -> Rule { Rule { $0.harmlessFields.insert(name) } }

    /// The values with this name are no secrets, such as a `code` that is the number of an error.
    ///
    /// Letter case, hyphens and underscores do not count.
    public static func harmless(member name: String) -> Rule {
      Rule { $0.harmlessMembers.insert(SecretRules.plain(name)) }
    }

    /// Bodies in this content coding or character set contain no secrets, although they cannot be read.
    public static func harmless(coding name: String) -> Rule { Rule { $0.harmlessCodings.insert(name.lowercased()) } }
  }
}

extension LupineError.Kind {
  /// A secret would be in a recording, at a place that no rule names.
  public static let secretInRecording = LupineError.Kind.plugin("secretInRecording")
}
