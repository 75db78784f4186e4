import LupineCore

extension TransportLayer {
  /// Returns the layers from the outermost to the innermost; `nil` if their positions contradict each other.
  ///
  /// If several layers can come next, the one that was added first comes next.
  static func ordered(_ layers: [TransportLayer]) -> [TransportLayer]? {
    var rest = layers
    var ordered: [TransportLayer] = []
    while !rest.isEmpty {
      let next = rest.firstIndex { layer in !rest.contains { $0.standsOutside(of: layer) } }
      guard let next else { return nil }
      ordered.append(rest.remove(at: next))
    }
    return ordered
  }

  private func standsOutside(of other: TransportLayer) -> Bool {
    outside.contains(other.name) || other.inside.contains(name)
  }
}
