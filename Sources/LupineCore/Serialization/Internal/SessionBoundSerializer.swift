/// Lets a serializer that a program made decode with what its session decodes with, where it names no decoder itself.
struct SessionBoundSerializer<Base: ResponseSerializer>: ResponseSerializer {
  private let base: Base
  private let serializers: SessionSerializers

  init(_ base: Base, _ serializers: SessionSerializers) {
    self.base = base
    self.serializers = serializers
  }

  func serialize(_ response: ReceivedResponse) throws -> Base.Output {
    try base.serialize(response.bringing(serializers))
  }
}
