/// Lets a serializer that a program made decode with what its session decodes with, where it names no decoder itself.
struct SessionBoundSerializer<Base: ResponseSerializer>: ResponseSerializer {
  private let base: Base
  private let defaults: DecodingDefaults

  init(_ base: Base, _ defaults: DecodingDefaults) {
    self.base = base
    self.defaults = defaults
  }

  func serialize(_ response: ReceivedResponse) throws -> Base.Output {
    var response = response
    response.decodingDefaults = defaults
    return try base.serialize(response)
  }
}
