public import LupineCore

extension TransferQueue.Profile {
  /// A `NetworkPolicy` as values.
  ///
  /// In JSON: `{"base": "publicInternetOnly", "allowing": ["10.20.0.0/16"]}`. Each key may be missing; one that this build
  /// does not know is an error.
  public struct AddressRules: Sendable, Hashable, Codable {
    /// The addresses that are allowed without a further rule.
    public enum Base: String, Sendable, Hashable, Codable, CaseIterable {
      /// All addresses.
      case all
      /// No address.
      case none
      /// `NetworkPolicy.loopbackOnly`.
      case loopbackOnly
      /// `NetworkPolicy.publicInternetOnly`.
      case publicInternetOnly
    }

    /// The addresses that are allowed without a further rule.
    ///
    /// Default: all.
    public var base: Base
    /// Further addresses, or blocks such as `10.20.0.0/16`, that are allowed.
    public var allowing: [String]
    /// Addresses or blocks that are refused, also if `allowing` has them.
    public var denying: [String]

    enum CodingKeys: String, CodingKey, CaseIterable { case base, allowing, denying }

    /// Creates the rules; text that is no block is an issue of the profile.
    public init(_ base: Base = .all, allowing: [String] = [], denying: [String] = []) {
      self.base = base
      self.allowing = allowing
      self.denying = denying
    }

    /// Decodes rules.
    ///
    /// - Throws: `DecodingError`, also if there is a key that this build does not know.
    public init(from decoder: any Decoder) throws {
      try AnyKey.requireKnown(CodingKeys.self, in: decoder)
      let values = try decoder.container(keyedBy: CodingKeys.self)
      base = try values.decodeIfPresent(Base.self, forKey: .base) ?? .all
      allowing = try values.decodeIfPresent([String].self, forKey: .allowing) ?? []
      denying = try values.decodeIfPresent([String].self, forKey: .denying) ?? []
    }

    /// The policy of these rules.
    public var policy: NetworkPolicy {
      let start: NetworkPolicy =
        switch base {
        case .all: NetworkPolicy(otherwise: .allow)
        case .none: NetworkPolicy(otherwise: .deny)
        case .loopbackOnly: .loopbackOnly
        case .publicInternetOnly: .publicInternetOnly
        }
      return denying.reduce(allowing.reduce(start) { $0.allowing($1) }) { $0.denying($1) }
    }
  }
}

/// Any key of a JSON object.
struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }

  /// Throws an error if the object has a key of a later build: it would mean something else without it.
  static func requireKnown<Keys: CodingKey & CaseIterable>(_ keys: Keys.Type, in decoder: any Decoder) throws {
    let known = Set(keys.allCases.map(\.stringValue))
    let found = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    guard let unknown = found.sorted().first(where: { !known.contains($0) }) else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath,
        debugDescription: "The profile has the key \"\(unknown)\", which this build does not know."))
  }
}
