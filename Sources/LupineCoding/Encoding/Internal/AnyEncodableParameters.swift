/// Parameters whose values have types of their own, as one value to encode.
package struct AnyEncodableParameters: Encodable, Sendable {
  private let values: [String: any Encodable & Sendable]

  package init(_ values: [String: any Encodable & Sendable]) { self.values = values }

  package func encode(to encoder: any Encoder) throws {
    // As a dictionary, so that a strategy for keys leaves the names alone, as it does with every dictionary.
    var container = encoder.singleValueContainer()
    try container.encode(values.mapValues(Element.init))
  }

  private struct Element: Encodable {
    let value: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws {
      // Not `value.encode(to:)`, which would pass by what an encoder does for dates and data.
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
