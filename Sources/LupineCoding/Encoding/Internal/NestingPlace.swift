/// Where a value stands: a name, and the place of what holds it.
final class NestingPlace {
  let level: Int
  private let key: any CodingKey
  private let parent: NestingPlace?

  init(_ key: any CodingKey, in parent: NestingPlace?) {
    self.key = key
    self.parent = parent
    level = (parent?.level ?? 0) + 1
  }

  /// The names from the outermost to this.
  var path: [any CodingKey] {
    var path: [any CodingKey] = []
    path.reserveCapacity(level)
    var place: NestingPlace? = self
    while let current = place {
      path.append(current.key)
      place = current.parent
    }
    path.reverse()
    return path
  }
}
