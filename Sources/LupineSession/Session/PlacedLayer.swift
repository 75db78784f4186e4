import LupineCore

/// A layer of a builder, with its position relative to the others.
struct PlacedLayer: Sendable {
  let name: LayerName
  /// The layers that receive an exchange before this one.
  let inside: Set<LayerName>
  /// The layers that receive an exchange after this one.
  let outside: Set<LayerName>
  let make: @Sendable () -> any ExchangeLayer

  /// Returns the layers from the outermost to the innermost; `nil` if their positions contradict each other.
  ///
  /// If several layers can come next, the one that was added first comes next.
  static func ordered(_ layers: [PlacedLayer]) -> [PlacedLayer]? {
    var rest = layers
    var ordered: [PlacedLayer] = []
    while !rest.isEmpty {
      let next = rest.firstIndex { layer in !rest.contains { $0.standsOutside(of: layer) } }
      guard let next else { return nil }
      ordered.append(rest.remove(at: next))
    }
    return ordered
  }

  private func standsOutside(of other: PlacedLayer) -> Bool {
    outside.contains(other.name) || other.inside.contains(name)
  }
}
