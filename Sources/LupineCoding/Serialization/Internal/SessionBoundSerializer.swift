package import LupineCore

/// Lets a serializer that a program made decode with what its session decodes with, where it names no decoder itself.
package struct SessionBoundSerializer<Base: ResponseSerializer>: ResponseSerializer {
  private let base: Base
  private let defaults: DecodingDefaults

  package init(_ base: Base, _ defaults: DecodingDefaults) {
    self.base = base
    self.defaults = defaults
  }

  package func serialize(_ response: ReceivedResponse) throws -> Base.Output {
    var response = response
    response.decodingDefaults = defaults
    return try base.serialize(response)
  }
}
